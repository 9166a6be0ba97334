import { beginsTurn, type TurnState } from '../../state.ts';

const defaultMaxSteps = 50;
/** Work on code takes many small steps. */
const defaultMaxCodingSteps = 200;

/** Sent to the user when the model's last reply has only calls and no text. */
export const outOfSteps =
  'I could not finish this within the number of steps that I may take for one message. Please ask again, perhaps for less at once.';

/**
 * Whether the next reply of a chat turn must be its last. Stored replies are counted, so a restart or an approval does not reset
 * the count. Runs are limited by their iterations.
 */
export function isLastReply({ run, bot, messages }: Pick<TurnState, 'run' | 'bot' | 'messages'>): boolean {
  if (run) return false;
  const turn = messages.slice(messages.findLastIndex(beginsTurn) + 1);
  const replies = turn.filter(({ role }) => role === 'assistant').length;
  return (
    replies + 1 >= (bot.settings.max_steps ?? (bot.usesMachine ? defaultMaxCodingSteps : defaultMaxSteps))
  );
}

/** For a model that must end the turn; undefined while it may continue, or if it has no tools. */
export function stepLimitNotice(state: TurnState): string | undefined {
  if (!state.functions?.length || !isLastReply(state)) return undefined;
  return (
    'This is your last reply to this message: the number of steps for one message is used up, so no tool can be called ' +
    'any more. Answer the user now with what you know, and say plainly what you could not find out or do.'
  );
}
