import { setPriority } from 'node:os';
import type { ModelFiles } from './model-files.ts';

/** The other side of model-process.ts. Messages that come while the model is loaded wait for it. */
export async function serveModel(
  load: (models: ModelFiles, answer: (message: object) => void) => Promise<(message: unknown) => void>,
  { niceness }: { niceness: number },
): Promise<void> {
  // Nobody is there to stop us any more.
  process.once('disconnect', () => process.exit());
  setPriority(niceness);
  const waiting: unknown[] = [];
  let handle = (message: unknown): void => {
    waiting.push(message);
  };
  process.on('message', (message) => handle(message));
  const models = JSON.parse(process.argv[2] ?? '{}') as ModelFiles;
  const loaded = await load(models, (message) => process.send?.(message));
  handle = loaded;
  for (const message of waiting) loaded(message);
}
