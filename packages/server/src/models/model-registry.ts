import type { TrustedLane } from '../egress/trusted-lane.ts';
import { AppError, invalid } from '../lib/app-error.ts';
import type { Model, ModelCapabilities, ModelPart, ModelRequest, OnPart } from './model.ts';
import { ModelError } from './model-error.ts';
import { modelFault, splitModelId } from './model-id.ts';
import { type PriceOverrides, priceOf } from './price-of.ts';
import type { Price } from './prices.ts';
import type { Provider, ProviderConfigs } from './providers/provider.ts';
import { noObserver, type ProviderObserver } from './providers/provider-observer.ts';
import { isUsable, providers } from './providers/providers.ts';
import type { ReplyAttempt } from './reply-attempt.ts';
import { defaultRetryPolicy, type RetryPolicy, retryDelay } from './retry.ts';
import { defaultTimeLimits, type TimeLimits, watchTokens } from './time-limits.ts';
import { countImages, estimateUsage } from './token-estimate.ts';
import { type ModelWindow, windowOf } from './windows.ts';
import { withoutImages } from './without-images.ts';

export type ModelRegistry = ReturnType<typeof createModelRegistry>;

export interface ModelRegistryOptions {
  providers: ProviderConfigs;
  defaultModel?: string;
  prices?: PriceOverrides;
  lane: TrustedLane;
  limits?: Partial<TimeLimits>;
  retry?: Partial<RetryPolicy>;
  observer?: ProviderObserver;
}

export function createModelRegistry(options: ModelRegistryOptions) {
  const known = providers.flatMap((provider) =>
    provider.chat ? [{ ...provider, chat: provider.chat }] : [],
  );
  // Loaded now, so that the first reply does not wait for it.
  const usable = known
    .filter((provider) => isUsable(provider, options.providers))
    .map((provider) => ({ ...provider, loaded: provider.chat.load() }));
  const retry = { ...defaultRetryPolicy, ...options.retry };
  const { observer = noObserver } = options;

  /** The model of a `provider/model` id. Throws VALIDATION_FAILED or NO_MODEL_CONFIGURED; sends nothing. */
  function resolve(id: string): Model {
    const parts = splitModelId(id);
    if (!parts) throw invalid('model', 'must look like provider/model.');
    if (!known.some(({ name }) => name === parts.provider)) {
      const names = known.map(({ name }) => name).join(', ');
      throw invalid('model', `names an unknown provider: use one of ${names}.`);
    }
    const provider = usable.find(({ name }) => name === parts.provider);
    if (!provider) {
      throw new AppError('NO_MODEL_CONFIGURED', {
        message: `The model provider ${parts.provider} is not configured.`,
      });
    }
    const { chat, access, loaded } = provider;
    if (!access && parts.name !== chat.defaultModel) {
      throw invalid('model', `is not a built-in model: there is ${provider.name}/${chat.defaultModel}`);
    }
    const config = options.providers[provider.name] ?? {};
    const identity = {
      provider: provider.name,
      modelName: parts.name,
      secrets: config.apiKey ? [config.apiKey] : [],
    };
    const connection = { ...config, identity, lane: options.lane };
    return createModel({
      id,
      provider: provider.name,
      observer,
      window: windowOf(parts.name, chat.windows),
      capabilities: chat.capabilities(config, parts.name),
      limits: { ...defaultTimeLimits, ...chat.timeLimits?.(parts.name), ...options.limits },
      retry,
      isFree: !access,
      attempt: async (...reply) => (await loaded)(connection)(...reply),
    });
  }

  /** The id for a bot that names none. */
  function defaultModelId(): string {
    if (options.defaultModel) return options.defaultModel;
    const [first] = usable;
    if (!first) throw new Error('The built-in provider is always usable.');
    return `${first.name}/${first.chat.defaultModel}`;
  }

  return {
    resolve,
    /** The model that a bot answers with: its own, or else the default one. Throws as `resolve` does. */
    ofBot: ({ model }: { model?: string | null | undefined }): Model => resolve(model ?? defaultModelId()),
    defaultModelId,
    /** Why a bot cannot use this model, as the rest of a sentence after the field name; undefined when it can. */
    faultOf: (id: string): string | undefined => modelFault(id, 'chat', options.providers),
    /** The names of the providers that a key or an address makes usable; the built-in one is not among them. */
    configured: (): string[] => usable.flatMap(({ name, access }) => (access ? [name] : [])),
    /** The models of the usable providers that the service knows by name; others can be used too. */
    known: (): { id: string; provider: string }[] =>
      usable.flatMap((provider) =>
        chatModelNames(provider, options.prices).map((name) => ({
          id: `${provider.name}/${name}`,
          provider: provider.name,
        })),
      ),
    /** The variables that would make the other providers usable. */
    missing: (): string[] =>
      known
        .filter((provider) => !isUsable(provider, options.providers))
        .flatMap(({ access }) => access?.keyVariable ?? []),
    /** Undefined when the price of the model is not known. */
    priceOf: (id: string): Price | undefined => priceOf(id, options.prices),
  };
}

/** The chat models of a provider that have a price, the default one first. `name*` stands for a family, not for a model. */
function chatModelNames(
  { name: provider, chat, embeddings, prices = {} }: Provider,
  overrides: PriceOverrides = {},
): string[] {
  const prefix = `${provider}/`;
  const priced = Object.keys(overrides).flatMap((id) =>
    id.startsWith(prefix) ? [id.slice(prefix.length)] : [],
  );
  const isEmbedding = (model: string) => model in (embeddings?.dimensions ?? {});
  const names = [...(chat ? [chat.defaultModel] : []), ...Object.keys(prices), ...priced];
  return [...new Set(names)].filter((model) => !model.endsWith('*') && !isEmbedding(model));
}

interface ModelOptions {
  id: string;
  provider: string;
  observer: ProviderObserver;
  window: ModelWindow;
  capabilities: ModelCapabilities;
  attempt: ReplyAttempt;
  /** Failed attempts cost nothing, and are not reported as lost. */
  isFree: boolean;
  limits: TimeLimits;
  retry: RetryPolicy;
}

/** A provider's single attempt, with retries and time limits. */
function createModel(options: ModelOptions): Model {
  return {
    id: options.id,
    contextWindow: options.window.contextWindow,
    maxOutputTokens: options.window.maxOutputTokens,
    capabilities: options.capabilities,
    reply: (request, onPart, signal) => giveReply(request, onPart, signal, options),
  };
}

async function giveReply(
  wanted: ModelRequest,
  onPart: OnPart,
  signal: AbortSignal,
  { id, provider, observer, attempt, isFree, limits, retry }: ModelOptions,
): Promise<void> {
  let request = wanted;
  for (let attemptsMade = 1; ; attemptsMade += 1) {
    signal.throwIfAborted();
    const watch = watchTokens(limits, signal);
    const startedAt = performance.now();
    let started = false;
    let finished = false;
    let failure: unknown;
    let isCounted = true;
    /** What the listener threw: it is not the model's fault, however the attempt reports it. */
    let refusal: { reason: unknown } | undefined;
    const pass = (part: ModelPart) => {
      started = true;
      finished = part.type === 'finish';
      if (part.type === 'finish') observer.used(id, 'chat', part.usage);
      try {
        onPart(part);
      } catch (reason) {
        refusal = { reason };
        throw reason;
      }
      if (!finished) watch.signal.throwIfAborted();
    };
    try {
      await attempt(request, pass, watch);
      observer.succeeded(provider, 'chat', performance.now() - startedAt);
      if (!refusal) return;
      failure = refusal.reason;
    } catch (error) {
      isCounted = !(error instanceof ModelError && error.isUncounted) || watch.bytes > 0;
      failure = refusal?.reason ?? (watch.signal.aborted ? watch.signal.reason : error);
      if (!refusal && !signal.aborted) observer.failed(provider, failure);
    } finally {
      watch.stop(!finished);
    }
    // Once text was passed on, another attempt would repeat it.
    const isFinal = started || signal.aborted;
    const isRefused = !isFinal && failure instanceof ModelError && failure.isBadRequest;
    const areImagesRefused = isRefused && countImages(request) > 0;
    const delayMs = areImagesRefused ? 0 : retryDelay(failure, attemptsMade, retry);
    const wait = isFinal ? undefined : delayMs;
    if (isCounted && !isFree && !finished) {
      const usage = estimateUsage(request, { bytes: watch.bytes });
      observer.used(id, 'chat', usage);
      onPart({ type: 'lost', usage, isRepeated: wait !== undefined });
    }
    if (wait === undefined) throw failure;
    if (areImagesRefused) request = withoutImages(wanted);
    await retry.sleep(wait, signal);
  }
}
