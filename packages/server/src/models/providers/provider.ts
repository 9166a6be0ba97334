import type { TrustedLane } from '../../egress/trusted-lane.ts';
import type { Log } from '../../lib/log.ts';
import type { EmbeddingSource } from '../embeddings/embedding-source.ts';
import type { ModelCapabilities } from '../model.ts';
import type { ModelIdentity } from '../model-error.ts';
import type { Price } from '../prices.ts';
import type { ReplyAttempt } from '../reply-attempt.ts';
import type { TimeLimits } from '../time-limits.ts';
import type { ModelWindow } from '../windows.ts';

/** Everything the service knows about a provider. `load` keeps its code out of programs that only read the configuration. */
export interface Provider {
  /** The part of a model's id before the slash. */
  name: string;
  /** Undefined for the provider that runs inside the service: always usable, and free. */
  access?: ProviderAccess;
  chat?: ChatModels;
  embeddings?: EmbeddingModels;
  speech?: SpeechAccess;
  /**
   * List prices by model name, in USD per million tokens, as published in November 2026. Lasting prices, not temporary
   * discounts: a balance is never charged less than the provider will bill.
   */
  prices?: Readonly<Record<string, Price>>;
  /** Its name in the GenAI conventions of OpenTelemetry, where that is another one. */
  telemetryName?: string;
}

export interface ProviderAccess {
  keyVariable: string;
  urlVariable: string;
  /** Without it, an address is enough. */
  isKeyRequired: boolean;
}

/** What the environment says about a provider. */
export interface ProviderConfig {
  apiKey?: string;
  baseUrl?: string;
}

/** By the provider's name. */
export type ProviderConfigs = Readonly<Record<string, ProviderConfig>>;

export interface ChatModels {
  /** For bots that name no model. A provider without `access` has no other. */
  defaultModel: string;
  /** By the first characters of a model's name; the longest match counts. */
  windows: Readonly<Record<string, ModelWindow>>;
  capabilities(config: ProviderConfig, modelName: string): ModelCapabilities;
  /** Where they differ from the usual ones. */
  timeLimits?(modelName: string): Partial<TimeLimits>;
  load(): Promise<(connection: Connection) => ReplyAttempt>;
}

export interface EmbeddingModels {
  /** For knowledge, unless a model is configured. A provider without `access` has no other. */
  defaultModel: string;
  /** Whether the default model can be expected with this configuration; left out where it always can. */
  offersDefault?(config: ProviderConfig): boolean;
  /** By model name; for other models they are read from the first reply. */
  dimensions: Readonly<Record<string, number>>;
  /** What a model reads of a text. */
  maxCharacters: number;
  /** Texts per request. */
  batchSize: number;
  load(): Promise<(connection: EmbeddingConnection) => EmbeddingSource>;
}

/** Where a speech provider is reached, and with which headers. */
export interface SpeechAccess {
  baseUrl: string;
  headers(apiKey: string): Record<string, string>;
  /** Where to ask whether a voice exists; left out by providers that only listen. */
  voicePath?(voice: string): string;
}

/** What a model is reached with. */
export interface Connection extends ProviderConfig {
  identity: ModelIdentity;
  lane: TrustedLane;
}

export interface EmbeddingConnection extends Connection {
  dimensions: number | undefined;
  log: Log;
}
