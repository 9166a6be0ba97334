import { AppError } from '../lib/app-error.ts';
import { formatUsd } from '../lib/money.ts';
import { newId } from '../lib/new-id.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import type { Price } from '../models/prices.ts';
import { isLocalModel } from '../models/providers/providers.ts';
import type { Services } from '../services.ts';
import { billingStore } from './billing.store.ts';
import { createPayment, type Payment } from './payment.ts';
import { type Quote, quoteEmbedding, quoteRequest, type RequestQuote, requirePrice } from './quote.ts';
import { availableOf, reserve } from './reserve.ts';
import { spendingModel } from './spending-model.ts';
import type { UsageOrigin } from './usage-row.ts';

export interface SpenderOptions extends Pick<Services, 'database' | 'nodeId'> {
  models: Pick<Services['models'], 'priceOf'>;
  /** The workspace's credit; null where it is unlimited. */
  creditOf(workspaceId: string): Promise<string | null>;
}

export interface Spender {
  /** The same model: money for each reply is reserved first, limits its length, and is settled at its end. */
  payingModel(model: Model, workspaceId: string, origin?: UsageOrigin): Model;
  /** Reserves what embedding this many bytes can cost. Throws INSUFFICIENT_BALANCE, or VALIDATION_FAILED without a price. */
  openEmbedding(modelId: string, bytes: number, workspaceId: string, origin?: UsageOrigin): Promise<Payment>;
  /** Throws when the request could not be paid for now; reserves nothing. */
  check(model: Model, request: ModelRequest, workspaceId: string): Promise<void>;
}

/** Pays for requests to models outside the steps of turns. Workspaces without a limited balance are only counted. */
export function createSpender({ database, models, creditOf, nodeId }: SpenderOptions): Spender {
  async function open<Quoted extends Quote>(
    modelId: string,
    quoteAt: (price: Price) => Quoted,
    workspaceId: string,
    origin: UsageOrigin,
  ): Promise<{ payment: Payment; quote: Quoted | undefined }> {
    const known = models.priceOf(modelId);
    // A local model costs nothing.
    const creditUsd = isLocalModel(modelId) ? null : await creditOf(workspaceId);
    const common = { database, workspaceId, origin, modelId, price: known };
    if (creditUsd === null)
      return { payment: createPayment({ ...common, reservation: undefined }), quote: undefined };
    const quote = quoteAt(requirePrice(modelId, known));
    const id = newId();
    const granted = await database.within(workspaceId).transaction(async (tx) => {
      const amount = await reserve(tx, workspaceId, creditUsd, quote);
      await billingStore.insertReservation(tx, workspaceId, { id, nodeId, amountUsd: formatUsd(amount) });
      return amount;
    });
    return { payment: createPayment({ ...common, reservation: { id, granted } }), quote };
  }

  async function payReply(
    model: Model,
    workspaceId: string,
    origin: UsageOrigin,
    ...[request, onPart, signal]: Parameters<Model['reply']>
  ): Promise<void> {
    const quoteAt = (price: Price) => quoteRequest(model, request, price);
    const { payment, quote } = await open(model.id, quoteAt, workspaceId, origin);
    const capped = withCap(request, payment, quote);
    const most = quote?.costWith(capped.maxOutputTokens ?? 0);
    const spending = {
      afford: async () => capped,
      spent: payment.spent,
      canRepeat: () => most === undefined || payment.left() >= most,
    };
    try {
      await spendingModel(model, spending).reply(request, onPart, signal);
    } finally {
      await payment.settle();
    }
  }

  return {
    payingModel: (model, workspaceId, origin = {}) => ({
      ...model,
      reply: (...asked) => payReply(model, workspaceId, origin, ...asked),
    }),

    async openEmbedding(modelId, bytes, workspaceId, origin = {}) {
      return (await open(modelId, (price) => quoteEmbedding(bytes, price), workspaceId, origin)).payment;
    },

    async check(model, request, workspaceId) {
      const creditUsd = await creditOf(workspaceId);
      if (creditUsd === null) return;
      const { least } = quoteRequest(model, request, requirePrice(model.id, models.priceOf(model.id)));
      const account = await database
        .within(workspaceId)
        .transaction((tx) => billingStore.lock(tx, workspaceId));
      if (availableOf(account, creditUsd) < least) throw new AppError('INSUFFICIENT_BALANCE');
    },
  };
}

function withCap(request: ModelRequest, { granted }: Payment, quote: RequestQuote | undefined): ModelRequest {
  if (granted === undefined || !quote) return request;
  return { ...request, maxOutputTokens: quote.outputWithin(granted) };
}
