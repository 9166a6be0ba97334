/** The process that reads one document: its bytes come in on the standard input, its text leaves on the output. */
// oxlint-disable-next-line import/no-unassigned-import -- before anything else is loaded
import './forbid-connections.ts';
import { Console } from 'node:console';
import { explainFailure } from './explain-failure.ts';
import { packMessage, unpackMessage } from './message.ts';
import { perform } from './perform.ts';
import type { Answer, Task } from './tasks.ts';

// Packages that talk must not talk into the answer.
globalThis.console = new Console(process.stderr);
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
  try {
    const { head, text } = await perform(asked, body);
    const bytes = Buffer.from(text);
    write({ ...head, length: bytes.length }, bytes);
  } catch (error) {
    const { reason, cause } = explainFailure(error, asked.limits);
    write({ refused: reason, cause: describe(cause).slice(0, 2_000) }, Buffer.alloc(0));
  }
}

function write(head: Answer, body: Uint8Array): void {
  for (const part of packMessage(head, body)) process.stdout.write(part);
}

function describe(cause: unknown): string {
  return cause instanceof Error ? String(cause) : typeof cause === 'string' ? cause : '';
}
