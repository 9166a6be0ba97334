/** The process that reads one document: its bytes come in on the standard input, its text leaves on the output. */
import { Console } from 'node:console';
import { explainFailure } from './explain-failure.ts';
import { forbidConnections } from './forbid-connections.ts';
import { packMessage, unpackMessage } from './message.ts';
import { perform } from './perform.ts';
import type { Answer, Task } from './tasks.ts';

forbidConnections();
// Packages that talk must not talk into the answer, and what they leave behind unfinished is no part of it.
globalThis.console = new Console(process.stderr);
process.on('unhandledRejection', (error) => process.stderr.write(`${String(error)}\n`));
const message = unpackMessage(await readInput());
const task = message?.head as Task | undefined;
// Half of it means that whoever sent it is gone.
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

/** For the log of whoever asked. */
function textOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : typeof cause === 'string' ? cause : '';
  return text.slice(0, 2_000);
}
