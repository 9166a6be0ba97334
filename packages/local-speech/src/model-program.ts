import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import type { ModelFiles } from './model-files.ts';

/** The child's side of model-process.ts. Messages that arrive while the model is being loaded wait for it. */
export async function serveModel(
  load: (models: ModelFiles, answer: (message: object) => void) => Promise<(message: unknown) => void>,
  { niceness }: { niceness: number },
): Promise<void> {
  // The service is gone.
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

/** The part of onnxruntime-node that we use. It is optional, so its own types are missing in a default install. */
export interface OnnxRuntime {
  Tensor: new (type: string, data: Float32Array | BigInt64Array | boolean[], dimensions: number[]) => Tensor;
  InferenceSession: { create(file: string, options: object): Promise<OnnxSession> };
  env: { logLevel: string };
}

export interface Tensor {
  readonly data: Float32Array;
}

export interface OnnxSession {
  run(inputs: Record<string, Tensor>): Promise<Record<string, Tensor>>;
}

/**
 * Loads the runtime into this process, which must be a separate one: the runtime keeps a processor busy, and a worker thread that
 * ends while the runtime works takes the whole process down with it.
 */
export function loadRuntime(file: string): OnnxRuntime {
  const runtime = createRequire(import.meta.url)(file) as OnnxRuntime;
  runtime.env.logLevel = 'error';
  return runtime;
}

/** One processor for each model: calls in progress need the others. Threads that wait must not keep one busy. */
export const sessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  extra: { session: { intra_op: { allow_spinning: '0' } } },
};
