import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'yaml';
import type { ReadText } from './read-yaml.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
parentPort?.postMessage(read(String(workerData)));

function read(text: string): ReadText {
  try {
    return { value: parse(text, { logLevel: 'error', maxAliasCount: 100 }) as unknown };
  } catch (error) {
    return { fault: (error as Error).message.split('\n')[0] ?? '' };
  }
}
