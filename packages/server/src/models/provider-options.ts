import type { TrustedLane } from '../egress/trusted-lane.ts';
import type { RetryPolicy } from './retry.ts';
import type { TimeLimits } from './time-limits.ts';
import type { ModelWindow } from './windows.ts';

/** What every provider of ours needs to make models. */
export interface ProviderOptions {
  lane: TrustedLane;
  /** What was configured; the rest is each provider's own. */
  limits: Partial<TimeLimits>;
  retry: RetryPolicy;
  windowOf(id: string): ModelWindow;
}
