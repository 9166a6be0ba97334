import { type Quote, quoteRequest, requirePrice, withMore } from '../../billing/service.ts';
import type { Transaction } from '../../database/database.ts';
import type { Model } from '../../models/model.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import type { TurnDependencies } from '../dependencies.ts';
import { modelRequest } from '../reply/context/model-request.ts';
import { gradeAllowance, isGraded } from '../reply/grade-reply.ts';
import type { TurnLease } from '../run/lease.ts';
import type { TurnState } from '../state.ts';
import { turnStore } from '../store.ts';

/** What a tool's description and parameters come to, and a passage: neither is known when a turn is admitted. */
const bytesPerTool = 1_000;
const bytesOfPassages = 6_000;

/**
 * What the first reply of a turn can cost, by what is known before it is admitted. The request is not built yet: when it
 * is, just before it is sent, this is exchanged for the exact amount.
 */
export function admissionQuote(model: Model, state: TurnState, models: ModelRegistry): Quote {
  const { bot } = state;
  const moreBytes = bot.toolCount * bytesPerTool + (bot.hasKnowledge ? bytesOfPassages : 0);
  const price = requirePrice(model.id, models.priceOf(model.id));
  const quote = quoteRequest(model, modelRequest(state, model), price, { moreBytes });
  const { least, usual } = isGraded(state) ? withMore(quote, gradeAllowance(quote)) : quote;
  return { least, usual, most: usual };
}

/** Sets money aside for a turn that was admitted in the same transaction. Throws INSUFFICIENT_BALANCE. */
export async function reserveAdmitted(
  tx: Transaction,
  lease: TurnLease,
  creditUsd: string,
  quote: Quote,
  { billing }: Pick<TurnDependencies, 'billing'>,
): Promise<void> {
  const granted = await billing.reserve(tx, lease.workspaceId, creditUsd, quote);
  if (granted > 0n) await turnStore.setReservation(tx, lease, granted);
}
