import { newId } from '../../../lib/new-id.ts';
import type { TurnLease } from '../../run/lease.ts';
import { beginsTurn, isTraced, type TurnState } from '../../state.ts';
import type { TurnDependencies } from '../../turn-dependencies.ts';
import type { TraceEntry, UsageEntry } from '../../write/step-changes.ts';
import { embeddingEntries } from '../usage-entry.ts';

/** The usage and trace of a search, to be written with its reply. */
export interface Searched {
  spent: UsageEntry[];
  trace: TraceEntry[];
}

export interface Found extends Searched {
  state: TurnState;
}

const maxPassages = 6;
/** Messages state their subject early. */
const maxQueryCharacters = 1_000;
const nothing: Searched = { spent: [], trace: [] };

/**
 * Searches the bot's knowledge for the user's message, before the first reply of a lease; later replies of the turn get the same
 * passages. Bots without knowledge are not searched.
 */
export async function findPassages(
  lease: TurnLease,
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<Found> {
  if (state.passages) return { state, ...nothing };
  const message = state.messages.findLast(beginsTurn);
  if (!state.bot.hasKnowledge || !message) return { state: { ...state, passages: [] }, ...nothing };

  const { clock, knowledge } = dependencies;
  const id = newId();
  const startedAt = clock.now();
  const query = message.content.slice(0, maxQueryCharacters).toWellFormed();
  const { workspaceId, botId, conversationId, turnId, isMetered } = lease;
  const messageId = state.replyIds.at(-1);
  const turn = { conversationId, turnId, messageId, isMetered };
  const question = { workspaceId, botId, query, limit: maxPassages, turn };
  const found = await knowledge.search(question, signal);
  const step: TraceEntry = {
    id,
    type: 'retrieval',
    name: 'Knowledge',
    status: 'ok',
    startedAt,
    durationMs: clock.now().getTime() - startedAt.getTime(),
    input: { query },
    output: { passages: found.passages },
    usage: null,
    error: null,
  };
  return {
    state: { ...state, passages: found.passages },
    spent: embeddingEntries(found.used, dependencies).map((entry) => ({ ...entry, messageId })),
    trace: isTraced(state) ? [step] : [],
  };
}
