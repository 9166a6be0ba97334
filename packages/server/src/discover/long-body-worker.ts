import { parentPort, workerData } from 'node:worker_threads';
import { readLongBody } from './long-body.ts';

const message = readLongBody((workerData as { bytes: Uint8Array }).bytes);
const transferred =
  message.kind === 'read' && message.documentation ? [message.documentation.bytes.buffer] : [];
parentPort?.postMessage(message, transferred);
