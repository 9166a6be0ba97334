import type { TurnLease } from '../../run/lease.ts';
import { beginsTurn, type TurnState } from '../../state.ts';
import type { TurnDependencies } from '../../turn-dependencies.ts';

/**
 * The state with what people wrote since the turn began, so that its next replies take that into account. The first reply does not
 * need it, because its state was just read, and operators do not write in runs.
 */
export async function hearOperators(
  { workspaceId, conversationId }: TurnLease,
  state: TurnState,
  { conversations }: Pick<TurnDependencies, 'conversations'>,
): Promise<TurnState> {
  if (state.steps === 0 || state.run) return state;
  const known = state.messages.findLast((message) => message.role === 'operator' || beginsTurn(message));
  const heard = await conversations.listOperatorMessages(workspaceId, conversationId, known?.sequence ?? 0);
  if (heard.length === 0) return state;
  const messages = [...state.messages, ...heard].toSorted((one, other) => one.sequence - other.sequence);
  return { ...state, messages };
}
