import type { Usage } from '../model.ts';

export type ProviderOperation = 'chat' | 'embedding' | 'speaking' | 'listening';

/** Is told of every attempt at a provider, for the metrics. */
export interface ProviderObserver {
  succeeded(provider: string, operation: ProviderOperation, milliseconds: number): void;
  failed(provider: string, error: unknown): void;
  /** What a request was counted with, even if it failed. */
  used(modelId: string, operation: 'chat' | 'embedding', usage: Usage): void;
}

export const noObserver: ProviderObserver = {
  succeeded: () => undefined,
  failed: () => undefined,
  used: () => undefined,
};
