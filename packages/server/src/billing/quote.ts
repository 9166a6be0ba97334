import { AppError } from '../lib/app-error.ts';
import type { NanoUsd } from '../lib/money.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import { costOf, type Price } from '../models/prices.ts';
import { countImages, estimateTokens } from '../models/token-estimate.ts';

/** What a request can cost: with the shortest reply, with a usual one, and at most. */
export interface Quote {
  /** With less than this it is not started. */
  least: NanoUsd;
  usual: NanoUsd;
  most: NanoUsd;
}

export interface RequestQuote extends Quote {
  /** The longest reply that an amount pays for, in tokens. */
  outputWithin(amount: NanoUsd): number;
  /** What the request costs with a reply of this length. */
  costWith(outputTokens: number): NanoUsd;
}

/** A shorter reply is cut off in the middle more often than it helps. */
const minOutputTokens = 500;
const usualOutputTokens = 4_000;
/** Providers add instructions for tool use, and count them. */
const tokensForTools = 500;
/** Estimates are raised by this factor where they only have to leave room in the context window. */
const margin = 1.25;

/** Small models of OpenAI count the most for an image. */
const maxTokensOfImage = 50_000;

export interface QuoteOptions {
  /** Bytes of input that are not part of the request yet. */
  moreBytes?: number;
}

/**
 * Quotes a request. Input counts one token per byte, which no provider exceeds, so that it never costs more
 * than was set aside; output is bounded by `maxOutputTokens`.
 */
export function quoteRequest(
  model: Pick<Model, 'contextWindow' | 'maxOutputTokens'>,
  request: ModelRequest,
  price: Price,
  { moreBytes = 0 }: QuoteOptions = {},
): RequestQuote {
  const { system, messages, tools } = request;
  const text = JSON.stringify([system, messages, tools]);
  const inputTokens = Math.min(
    Buffer.byteLength(text) +
      moreBytes +
      countImages(request) * maxTokensOfImage +
      (tools?.length ? tokensForTools : 0),
    model.contextWindow,
  );
  const room = Math.floor(model.contextWindow - (estimateTokens(text) + moreBytes / 4) * margin);
  const maxOutput = Math.min(
    request.maxOutputTokens ?? model.maxOutputTokens,
    model.maxOutputTokens,
    Math.max(room, minOutputTokens),
  );
  const costWith = (outputTokens: number) =>
    costOf({ inputTokens, cachedInputTokens: 0, outputTokens }, price);
  const perMillion = costWith(1_000_000) - costWith(0);
  return {
    least: costWith(Math.min(minOutputTokens, maxOutput)),
    usual: costWith(Math.min(usualOutputTokens, maxOutput)),
    most: costWith(maxOutput) * 2n,
    // Beyond a usual reply, half of the amount is kept for a retry: a provider that fails midway has been paid.
    outputWithin: (amount) => Math.max(Math.min(paidBy(amount), usualOutputTokens), paidBy(amount / 2n)),
    costWith,
  };

  function paidBy(amount: NanoUsd): number {
    if (perMillion === 0n) return maxOutput;
    return Math.min(maxOutput, Number(((amount - costWith(0)) * 1_000_000n) / perMillion));
  }
}

/** What embedding this many bytes can cost. */
export function quoteEmbedding(bytes: number, price: Price): Quote {
  const cost = costOf({ inputTokens: bytes, cachedInputTokens: 0, outputTokens: 0 }, price);
  return { least: cost, usual: cost, most: cost };
}

/** The same quote with an amount added that is sure to be needed. */
export function withMore({ least, usual, most }: Quote, more: NanoUsd): Quote {
  return { least: least + more, usual: usual + more, most: most + more };
}

/** Throws VALIDATION_FAILED for a model without a known price: it cannot be used with a balance. */
export function requirePrice(modelId: string, price: Price | undefined): Price {
  if (price) return price;
  throw new AppError('VALIDATION_FAILED', {
    message: `The price of ${modelId} is not known: set it in SVC_MODEL_PRICES before it is used with a balance.`,
    details: [{ path: 'model', message: 'has no known price' }],
  });
}
