import type { DiscoverStep } from '@svc/contract/discover';

/** One draft in progress; callers can follow it and can cancel it. */
export interface DiscoverJob {
  signal: AbortSignal;
  onProgress(step: DiscoverStep, detail: string): void;
}
