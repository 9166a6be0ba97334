import { parentPort } from 'node:worker_threads';
import type { EncoderJob } from '../../src/models/embeddings/builtin/encoder-worker.ts';

// The real worker, except that the text "crash" crashes it.
parentPort?.on('message', ({ texts }: EncoderJob) => {
  if (texts.includes('crash')) process.exit(1);
});
await import('../../src/models/embeddings/builtin/encoder-worker.ts');
