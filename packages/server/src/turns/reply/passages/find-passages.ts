import { newId } from '../../../new-id.ts';
import type { TurnDependencies } from '../../dependencies.ts';
import type { TurnLease } from '../../run/lease.ts';
import { beginsTurn, isTraced, type TurnState } from '../../state.ts';
import type { TraceEntry, UsageEntry } from '../../write/step-changes.ts';
import { embeddingEntries } from '../usage-entry.ts';

/** What finding passages added to a turn, to be written with the reply that it was done for. */
export interface Searched {
  spent: UsageEntry[];
  trace: TraceEntry[];
}

export interface Found extends Searched {
  state: TurnState;
}

const mostPassages = 6;
/** What a message is about is said early. */
const mostQueryCharacters = 1_000;
const nothing: Searched = { spent: [], trace: [] };

/**
 * Looks for what the bot knows about the user's message, before the first reply that a lease asks for; later replies of
 * the turn are given the same. A bot without knowledge is not asked.
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
  const query = message.content.slice(0, mostQueryCharacters).toWellFormed();
  const { workspaceId, botId, conversationId, turnId, isMetered } = lease;
  const turn = { conversationId, turnId, isMetered };
  const question = { workspaceId, botId, query, limit: mostPassages, turn };
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
    spent: embeddingEntries(found.used, dependencies),
    trace: isTraced(state) ? [step] : [],
  };
}
