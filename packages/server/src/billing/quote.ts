import { AppError } from '../app-error.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import { costOf, type Price } from '../models/prices.ts';
import { estimateTokens } from '../models/token-estimate.ts';
import type { NanoUsd } from '../money.ts';

/** What something can cost: at its shortest, as it usually is, and at most. */
export interface Quote {
  /** With less than this it is not begun. */
  least: NanoUsd;
  usual: NanoUsd;
  most: NanoUsd;
}

export interface RequestQuote extends Quote {
  /** The longest reply to ask for with an amount. */
  outputWithin(amount: NanoUsd): number;
  /** What the request costs with a reply of this length. */
  costWith(outputTokens: number): NanoUsd;
}

/** A shorter reply is cut off in the middle more often than it helps. */
const leastOutputTokens = 500;
const usualOutputTokens = 4_000;
/** Providers explain to the model how to use tools, and count that, too. */
const tokensForTools = 500;
/** An estimate may be this much too low where it only has to leave room in the context window. */
const margin = 1.25;

export interface QuoteOptions {
  /** What else goes in, in bytes, where the request is not built to its end yet. */
  moreBytes?: number;
}

/**
 * A request as it stands. What goes in is counted as one token per byte, which no provider exceeds, so that it never
 * costs more than was set aside; what comes out is bounded by what is asked for.
 */
export function quoteRequest(
  model: Pick<Model, 'contextWindow' | 'maxOutputTokens'>,
  request: ModelRequest,
  price: Price,
  { moreBytes = 0 }: QuoteOptions = {},
): RequestQuote {
  const { system, messages, tools, responseFormat } = request;
  const text = JSON.stringify([system, messages, tools, responseFormat]);
  const inputTokens = Math.min(
    Buffer.byteLength(text) + moreBytes + (tools?.length ? tokensForTools : 0),
    model.contextWindow,
  );
  const room = Math.floor(model.contextWindow - (estimateTokens(text) + moreBytes / 4) * margin);
  const mostOutput = Math.min(
    request.maxOutputTokens ?? model.maxOutputTokens,
    model.maxOutputTokens,
    Math.max(room, leastOutputTokens),
  );
  const costWith = (outputTokens: number) =>
    costOf({ inputTokens, cachedInputTokens: 0, outputTokens }, price);
  const perMillion = costWith(1_000_000) - costWith(0);
  return {
    least: costWith(Math.min(leastOutputTokens, mostOutput)),
    usual: costWith(Math.min(usualOutputTokens, mostOutput)),
    most: costWith(mostOutput) * 2n,
    // Beyond a usual reply, half of it is for asking once more: a provider that fails in the middle has been paid.
    outputWithin: (amount) => Math.max(Math.min(paidBy(amount), usualOutputTokens), paidBy(amount / 2n)),
    costWith,
  };

  function paidBy(amount: NanoUsd): number {
    if (perMillion === 0n) return mostOutput;
    return Math.min(mostOutput, Number(((amount - costWith(0)) * 1_000_000n) / perMillion));
  }
}

/** What making vectors of so many bytes can cost. */
export function quoteEmbedding(bytes: number, price: Price): Quote {
  const cost = costOf({ inputTokens: bytes, cachedInputTokens: 0, outputTokens: 0 }, price);
  return { least: cost, usual: cost, most: cost };
}

/** The same with something more that is sure to be needed. */
export function withMore({ least, usual, most }: Quote, more: NanoUsd): Quote {
  return { least: least + more, usual: usual + more, most: most + more };
}

/** Throws VALIDATION_FAILED for a model whose price nobody knows: it cannot be used with a balance. */
export function requirePrice(modelId: string, price: Price | undefined): Price {
  if (price) return price;
  throw new AppError('VALIDATION_FAILED', {
    message: `The price of ${modelId} is not known: set it in SVC_MODEL_PRICES before it is used with a balance.`,
    details: [{ path: 'model', message: 'has no known price' }],
  });
}
