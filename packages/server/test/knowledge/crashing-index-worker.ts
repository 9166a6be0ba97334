import { parentPort } from 'node:worker_threads';
import type { IndexRequest } from '../../src/knowledge/vector-index/in-process/index-worker.ts';

/** No real search has this limit. */
const crashingLimit = 666;

// The real worker, except that a search with this limit crashes it.
parentPort?.on('message', (request: IndexRequest) => {
  if (request.type === 'search' && request.limit === crashingLimit) process.exit(1);
});
await import('../../src/knowledge/vector-index/in-process/index-worker.ts');
