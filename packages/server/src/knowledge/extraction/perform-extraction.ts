import { ExtractionError } from './extraction-error.ts';
import { readDocument } from './read-document.ts';
import type { Answer, Task } from './tasks.ts';

type Done<T> = T extends { done: string } ? Omit<T, 'length'> : never;

/** The work of a child process: each task loads only the packages it needs. */
export async function perform(task: Task, body: Buffer): Promise<{ head: Done<Answer>; text: string }> {
  if (task.task === 'extract') {
    const { title, markdown, pages = null } = await readDocument({ ...task, bytes: body });
    return { head: { done: 'extract', title, pages }, text: markdown };
  }
  const { splitIntoChunks } = await import('../chunks/split.ts');
  const { indexChunks } = await import('../chunks/index-chunks.ts');
  const { title, workspaceId } = task;
  const chunks = splitIntoChunks(body.toString(), { title });
  if (chunks.length > task.limits.chunks) {
    throw new ExtractionError(
      `It comes apart into more than ${task.limits.chunks} passages: split it into smaller files.`,
    );
  }
  const titled = chunks.map((chunk) => ({
    ...chunk,
    headingPath: title === null ? chunk.headingPath : [title, ...chunk.headingPath],
  }));
  const lines = indexChunks(workspaceId, titled).map((chunk) => `${JSON.stringify(chunk)}\n`);
  return { head: { done: 'split' }, text: lines.join('') };
}
