import { askForText } from '../../../models/ask-for-text.ts';
import type { Model } from '../../../models/model.ts';
import { shorten } from '../../../models/shorten.ts';
import { storable } from '../../../validation/storable.ts';
import type { TurnLease } from '../../run/lease.ts';
import type { PlacedMessage, TurnState } from '../../state.ts';
import type { TurnDependencies } from '../../turn-dependencies.ts';
import { historyBudget, turnsToFold } from './split-history.ts';
import { layOutTranscript } from './transcript.ts';

const instructions = `You keep notes on a conversation between a user and an assistant, so that it can continue without its
beginning. Write what the assistant must still know: who the user is, what they want, facts and numbers that were given,
what was decided or promised, what is still open. An operator is a colleague of the assistant, a person: say of what one wrote
that it comes from a colleague. Plain sentences, at most 300 words, in the language of the conversation. If there are earlier
notes, write one text that replaces them.`;

const timeLimitMilliseconds = 120_000;
const maxCharacters = 50_000;

/**
 * Folds the oldest turns of a long conversation into its summary, with the bot's own model. It runs after a turn, so no user waits
 * for it; if it fails it is tried again after the next turn.
 */
export function createSummariser(dependencies: TurnDependencies) {
  /** Turns that end while a summary is being written do not start a second one. */
  const underWay = new Set<string>();
  return async (lease: TurnLease, state: TurnState): Promise<void> => {
    if (underWay.has(lease.conversationId)) return;
    underWay.add(lease.conversationId);
    try {
      await summariseIfLong(lease, state, dependencies);
    } finally {
      underWay.delete(lease.conversationId);
    }
  };
}

async function summariseIfLong(lease: TurnLease, state: TurnState, dependencies: TurnDependencies) {
  if (!state.ended || !canContinue(state)) return;
  const { models, database, conversations, spender } = dependencies;
  const model = models.ofBot(state.bot.settings);
  // The built-in model quotes passages and cannot write notes: it is given the latest turns only.
  if (!model.capabilities.instructions) return;
  const folded = turnsToFold(state.messages, historyBudget(model));
  const through = folded.at(-1)?.sequence;
  if (through === undefined) return;

  const { workspaceId, conversationId, turnId } = lease;
  // Paid for even if it is empty or too late.
  const paying = spender.payingModel(model, workspaceId, { conversationId, turnId });
  const text = await writeSummary(paying, state.summary, folded);
  if (!text) return;
  await database
    .within(workspaceId)
    .transaction((tx) => conversations.saveSummary(tx, workspaceId, conversationId, { text, through }));
}

/** A conversation with a single run does not continue. */
function canContinue({ run, bot }: TurnState): boolean {
  return !run || bot.settings.persistent_conversation === true;
}

async function writeSummary(model: Model, earlier: string | null, folded: PlacedMessage[]): Promise<string> {
  const transcript = shorten(layOutTranscript(folded), historyBudget(model));
  const content = `${earlier ? `Earlier notes:\n${earlier}\n\n` : ''}The conversation:\n${transcript}`;
  const request = {
    system: instructions,
    messages: [{ role: 'user' as const, content }],
    maxOutputTokens: 1_000,
  };
  const signal = AbortSignal.timeout(timeLimitMilliseconds);
  const { text, failure } = await askForText(model, request, { maxCharacters, signal });
  if (failure) throw failure;
  return storable(text.trim());
}
