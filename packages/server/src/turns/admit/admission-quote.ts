import { type Quote, quoteRequest, requirePrice, withMore } from '../../billing/billing.service.ts';
import type { Model } from '../../models/model.ts';
import type { ModelRegistry } from '../../models/model-registry.ts';
import { modelRequest } from '../reply/context/model-request.ts';
import { gradeAllowance, isGraded } from '../reply/grade-reply.ts';
import type { TurnState } from '../state.ts';

/** Estimates for a tool's description and for passages, which are not known when a turn is admitted. */
const bytesPerTool = 1_000;
const bytesOfPassages = 6_000;

/**
 * What the first reply of a turn can cost, as far as is known at its admission. It is replaced by the exact amount when the
 * request is built, just before it is sent.
 */
export function admissionQuote(model: Model, state: TurnState, models: ModelRegistry): Quote {
  const { bot } = state;
  const moreBytes = bot.toolCount * bytesPerTool + (bot.hasKnowledge ? bytesOfPassages : 0);
  const price = requirePrice(model.id, models.priceOf(model.id));
  const quote = quoteRequest(model, modelRequest(state, model), price, { moreBytes });
  const { least, usual } = isGraded(state) ? withMore(quote, gradeAllowance(quote)) : quote;
  return { least, usual, most: usual };
}
