import type { DiscoverStep } from '@svc/contract/discover';

/** One draft in the making: whoever waits for it can follow it, and can go away. */
export interface DiscoverJob {
  signal: AbortSignal;
  onProgress(step: DiscoverStep, detail: string): void;
}
