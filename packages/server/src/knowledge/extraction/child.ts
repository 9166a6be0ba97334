/** The process that reads one document: bytes come in on standard input, text goes out on standard output. */
import { Console } from 'node:console';
import { explainFailure } from './explain-extraction-failure.ts';
import { packMessage, unpackMessage } from './extraction-message.ts';
import { forbidConnections } from './forbid-connections.ts';
import { perform } from './perform-extraction.ts';
import type { Answer, Task } from './tasks.ts';

forbidConnections();
// Output of packages must not end up in the answer, and unhandled rejections of theirs are not part of it.
globalThis.console = new Console(process.stderr);
process.on('unhandledRejection', (error) => process.stderr.write(`${String(error)}\n`));
const message = unpackMessage(await readInput());
const task = message?.head as Task | undefined;
// An incomplete message means that the service is gone.
if (task && message?.body.length === task.length) await answer(task, message.body);

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function answer(asked: Task, body: Buffer): Promise<void> {
  const { head, text } = await perform(asked, body).catch((error: unknown) => {
    const { reason, cause } = explainFailure(error, asked.limits);
    return { head: { refused: reason, cause: textOf(cause) }, text: '' };
  });
  const bytes = Buffer.from(text);
  await write({ ...head, length: bytes.length }, bytes);
}

async function write(head: Answer, body: Uint8Array): Promise<never> {
  const [line, text] = packMessage(head, body);
  process.stdout.write(line);
  await new Promise<unknown>((resolve) => process.stdout.write(text, resolve));
  process.exit(0);
}

/** For the service's log. */
function textOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : typeof cause === 'string' ? cause : '';
  return text.slice(0, 2_000);
}
