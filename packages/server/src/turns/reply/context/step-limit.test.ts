import { expect, test } from 'vitest';
import type { BotRow } from '../../../bots/bots.service.ts';
import { textMessage } from '../../../conversations/conversations.service.ts';
import { isLastReply } from './step-limit.ts';

function afterReplies(count: number, bot: { usesMachine: boolean; settings: { max_steps?: number } }) {
  const messages = Array.from({ length: count + 1 }, (_, sequence) => ({
    ...textMessage(String(sequence), sequence === 0 ? 'user' : 'assistant', 'x', new Date()),
    sequence,
  }));
  return isLastReply({ run: undefined, bot: bot as BotRow, messages });
}

test('a turn has 50 replies, 200 if the bot works on code, or as many as the bot says', () => {
  const plain = { usesMachine: false, settings: {} };
  const coder = { usesMachine: true, settings: {} };
  expect([afterReplies(48, plain), afterReplies(49, plain)]).toEqual([false, true]);
  expect([afterReplies(198, coder), afterReplies(199, coder)]).toEqual([false, true]);
  const limited = { usesMachine: true, settings: { max_steps: 3 } };
  expect([afterReplies(1, limited), afterReplies(2, limited)]).toEqual([false, true]);
});
