import { parentPort } from 'node:worker_threads';
import type { IndexRequest } from '../../src/knowledge/vector-index/in-process/index-worker.ts';

/** So many are never asked for. */
const crashingLimit = 666;

// The real one, and a search that it does not survive.
parentPort?.on('message', (request: IndexRequest) => {
  if (request.type === 'search' && request.limit === crashingLimit) process.exit(1);
});
await import('../../src/knowledge/vector-index/in-process/index-worker.ts');
