import { parentPort, workerData } from 'node:worker_threads';
import { readLongBody } from './long-body.ts';

const word = readLongBody((workerData as { bytes: Uint8Array }).bytes);
const moved = word.kind === 'read' && word.documentation ? [word.documentation.bytes.buffer] : [];
parentPort?.postMessage(word, moved);
