import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../lib/thread-environment.ts';
import type { LaidOutPage } from './lay-out-page.ts';
import { pageText, pageTitle, withoutSilentParts } from './page-text.ts';
import type { PageWorkerData } from './page-worker.ts';

/** Turns untrusted pages into readable text without blocking anything else. */
export type PageReader = ReturnType<typeof createPageReader>;

const maxCharacters = 1_000_000;
const timeLimitMs = 8_000;
const memoryLimitMb = 256;
const maxWorkers = 2;

export function createPageReader() {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function takeWorker(): Promise<void> {
    if (running >= maxWorkers) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
  }

  /** The worker goes to the caller that has waited longest. */
  function releaseWorker(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    /** Always resolves with text: plain text when the page cannot be converted within its limits. */
    async read(html: string, address: string, signal: AbortSignal): Promise<LaidOutPage> {
      const shown = withoutSilentParts(html);
      if (shown.length <= maxCharacters) {
        await takeWorker();
        try {
          signal.throwIfAborted();
          const page = await layOutInWorker({ html: shown, address }, signal);
          if (page) return page;
        } finally {
          releaseWorker();
        }
      }
      return { title: pageTitle(html), markdown: pageText(shown) };
    },
  };
}

/** Undefined when the worker took too long, needed too much memory or crashed. */
async function layOutInWorker(workerData: PageWorkerData, signal: AbortSignal) {
  const worker = new Worker(new URL('./page-worker.ts', import.meta.url), {
    workerData,
    env: threadEnvironment(),
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb, maxYoungGenerationSizeMb: 32 },
  });
  // An error event without a listener would end the process.
  worker.on('error', () => undefined);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]);
  try {
    const [page] = (await once(worker, 'message', { signal: deadline })) as [LaidOutPage];
    return page;
  } catch {
    // Even if the page crashed the worker, its plain text can still be read.
    signal.throwIfAborted();
    return undefined;
  } finally {
    await worker.terminate();
  }
}
