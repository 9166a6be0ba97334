import { beginsTurn, type TurnState } from '../../state.ts';

const defaultMaxSteps = 50;

/** What the user gets when the model used its last reply to call tools and said nothing. */
export const outOfSteps =
  'I could not finish this within the number of steps that I may take for one message. Please ask again, perhaps for less at once.';

/**
 * Whether the next reply of a chat turn must be its end. The replies are counted as they are written, so a restart or a
 * pause for an approval changes nothing. Runs are bounded by their iterations.
 */
export function isLastReply({ run, bot, messages }: Pick<TurnState, 'run' | 'bot' | 'messages'>): boolean {
  if (run) return false;
  const turn = messages.slice(messages.findLastIndex(beginsTurn) + 1);
  const replies = turn.filter(({ role }) => role === 'assistant').length;
  return replies + 1 >= (bot.settings.max_steps ?? defaultMaxSteps);
}

/** What the model is told when it must end the turn; undefined while it may go on, or has no tools anyway. */
export function stepLimitNotice(state: TurnState): string | undefined {
  if (!state.functions?.length || !isLastReply(state)) return undefined;
  return (
    'This is your last reply to this message: the number of steps for one message is used up, so no tool can be called ' +
    'any more. Answer the user now with what you know, and say plainly what you could not find out or do.'
  );
}
