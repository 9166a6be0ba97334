import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The bytes that are still in use: garbage grows with the load of the machine, not with what is kept. */
export function keptMemory(): number {
  collectGarbage();
  // Buffers are freed in the background; another collection waits for that.
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
