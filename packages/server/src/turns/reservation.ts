import { AppError } from '../app-error.ts';
import type { BotRow } from '../bots/service.ts';
import type { Model, Usage } from '../models/model.ts';
import { costOf } from '../models/prices.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { estimateTokens } from '../models/token-estimate.ts';
import type { NanoUsd } from '../money.ts';

/** A reply is seldom longer; what it costs beyond is settled all the same. */
const expectedOutputTokens = 1_000;

/** A grade is asked for with all that the reply was, and the reply itself; it is a few words with some thought before. */
const gradeQuestionTokens = 300;
const expectedGradeTokens = 100;

/** What to set aside for one step, in a workspace that has a balance. */
export function stepReservation(model: Model, bot: BotRow, message: string, models: ModelRegistry): NanoUsd {
  const price = models.priceOf(model.id);
  if (!price) {
    throw new AppError('VALIDATION_FAILED', {
      message: `The price of ${model.id} is not known: set it in SVC_MODEL_PRICES before it is used with a balance.`,
      details: [{ path: 'model', message: 'has no known price' }],
    });
  }
  const inputTokens = estimateTokens(bot.systemPrompt) + estimateTokens(message);
  const reply = costOf({ inputTokens, cachedInputTokens: 0, outputTokens: expectedOutputTokens }, price);
  return bot.settings.enable_confidence_scoring === true
    ? reply + costOf(gradeUsage(inputTokens), price)
    : reply;
}

function gradeUsage(replyInputTokens: number): Usage {
  return {
    inputTokens: replyInputTokens + expectedOutputTokens + gradeQuestionTokens,
    cachedInputTokens: 0,
    outputTokens: expectedGradeTokens,
  };
}
