import {
  quoteRequest,
  requirePrice,
  type Spending,
  spendingModel,
  withMore,
} from '../../billing/billing.service.ts';
import type { NanoUsd } from '../../lib/money.ts';
import type { Model, ModelRequest } from '../../models/model.ts';
import { LeaseLost, type TurnLease } from '../run/lease.ts';
import { costOfAll } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { turnStore } from '../turns.store.ts';
import type { UsageEntry } from '../write/step-changes.ts';
import { patiently } from '../write/write-step.ts';
import { gradeAllowance } from './grade-reply.ts';
import { usageEntry } from './usage-entry.ts';

/** What one step of a turn spends on a model. */
export type Purse = ReturnType<typeof openPurse>;

export interface PurseOptions {
  /** The message that the model is asked for. */
  messageId: string;
  /** The first reply will be graded, which costs money too. */
  isGraded?: boolean;
}

export function openPurse(
  lease: TurnLease,
  model: Model,
  dependencies: TurnDependencies,
  { messageId, isGraded = false }: PurseOptions,
) {
  const { models } = dependencies;
  const spent: UsageEntry[] = [];
  const spending = lease.isMetered ? meteredSpending() : { afford: asItIs, canRepeat: () => true };
  return {
    /**
     * The same model, for the requests of one step of the trace. In a workspace with a limited balance, money is reserved on the
     * turn before each request is sent.
     */
    modelOf: (traceStepId: string): Model =>
      spendingModel(model, {
        ...spending,
        spent: (usage) =>
          void spent.push({ ...usageEntry(model, usage, dependencies), messageId, traceStepId }),
      }),
    /** The usage so far, to be written and settled with the step. */
    spent,
  };

  function meteredSpending(): Omit<Spending, 'spent'> {
    let isFirst = true;
    // An operator may lift the limit during the turn.
    let isLimited = true;
    let granted = 0n;
    let costOfRequest = 0n;
    return {
      async afford(request) {
        const { creditUsd } = await dependencies.workspaces.get(lease.workspaceId);
        isLimited = creditUsd !== null;
        if (creditUsd === null) return request;
        const quote = quoteRequest(model, request, requirePrice(model.id, models.priceOf(model.id)));
        const later = isGraded && isFirst ? gradeAllowance(quote) : 0n;
        isFirst = false;
        const amount = await reserve(
          lease,
          creditUsd,
          withMore(quote, later),
          costOfAll(spent),
          dependencies,
        );
        const maxOutputTokens = quote.outputWithin(amount - later);
        granted = amount + costOfAll(spent);
        costOfRequest = quote.costWith(maxOutputTokens);
        return { ...request, maxOutputTokens };
      },
      canRepeat: () => !isLimited || granted - costOfAll(spent) >= costOfRequest,
    };
  }
}

async function asItIs(request: ModelRequest): Promise<ModelRequest> {
  return request;
}

/** Replaces what the turn reserved before, at its admission or for an earlier request. */
function reserve(
  lease: TurnLease,
  creditUsd: string,
  quote: Parameters<TurnDependencies['billing']['reserve']>[3],
  spent: NanoUsd,
  { database, billing, log }: TurnDependencies,
): Promise<NanoUsd> {
  return patiently(lease, log, () =>
    database.within(lease.workspaceId).transaction(async (tx) => {
      const held = await turnStore.lockReservation(tx, lease);
      if (held === undefined) throw new LeaseLost();
      const granted = await billing.reserve(tx, lease.workspaceId, creditUsd, quote, { held, spent });
      await turnStore.setReservation(tx, lease, granted + spent);
      return granted;
    }),
  );
}
