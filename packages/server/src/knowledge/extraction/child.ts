/** The process that reads one document: bytes come in on standard input, text goes out on standard output. */
import { Console } from 'node:console';
import { ExtractionError } from '../source-failure.ts';
import { tooMuchMemory } from './explain-end.ts';
import { packMessage, unpackMessage } from './extraction-message.ts';
import { forbidConnections } from './forbid-connections.ts';
import type { ExtractionLimits } from './limits.ts';
import { readDocument } from './read-document.ts';
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
    const { message: refused, cause } = explainFailure(error, asked.limits);
    return { head: { refused, cause: textOf(cause) }, text: '' };
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

type Done<T> = T extends { done: string } ? Omit<T, 'length'> : never;

/** The work of a child process: each task loads only the packages it needs. */
async function perform(asked: Task, body: Buffer): Promise<{ head: Done<Answer>; text: string }> {
  if (asked.task === 'extract') {
    const { title, markdown, pages = null } = await readDocument({ ...asked, bytes: body });
    return { head: { done: 'extract', title, pages }, text: markdown };
  }
  const { splitIntoChunks } = await import('../chunks/split.ts');
  const { indexChunks } = await import('../chunks/index-chunks.ts');
  const { title, workspaceId } = asked;
  const chunks = splitIntoChunks(body.toString(), { title });
  if (chunks.length > asked.limits.chunks) {
    throw new ExtractionError(
      `It comes apart into more than ${asked.limits.chunks} passages: split it into smaller files.`,
    );
  }
  const titled = chunks.map((chunk) => ({
    ...chunk,
    headingPath: title === null ? chunk.headingPath : [title, ...chunk.headingPath],
  }));
  const lines = indexChunks(workspaceId, titled).map((chunk) => `${JSON.stringify(chunk)}\n`);
  return { head: { done: 'split' }, text: lines.join('') };
}

/** Turns an error in the child into a reason for the document's owner; the packages' own messages are for the log. */
function explainFailure(error: unknown, limits: ExtractionLimits): ExtractionError {
  if (error instanceof ExtractionError) return error;
  const cause = error instanceof Error ? (error.stack ?? error.message) : error;
  if (error instanceof RangeError) {
    if (/call stack/i.test(error.message)) {
      return new ExtractionError('It cannot be read: its parts are nested too deeply.', { cause });
    }
    if (/allocat|array buffer|string length/i.test(error.message)) return tooMuchMemory(limits, cause);
  }
  return new ExtractionError('It cannot be read: the file seems to be damaged.', { cause });
}
