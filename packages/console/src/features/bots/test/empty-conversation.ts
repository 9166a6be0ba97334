import { fullStateOf } from '@svc/client/full-conversation';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import type { ConversationState } from '../../../api/conversation.ts';
import { serverNow } from '../../../format/server-time.ts';

/** A test before its first event. Its id is not known until its first turn has started. */
export function emptyTest(bot: { id: string; name: string; version: number }): ConversationState {
  const now = new Date(serverNow()).toISOString();
  const conversation = {
    id: '',
    bot_id: bot.id,
    channel: 'test',
    status: 'idle',
    title: '',
    created_at: now,
    updated_at: now,
    message_count: 0,
    needs_human: null,
    last_event_id: 0,
    bot: { name: bot.name, bot_type: 'chatbot', version: bot.version, is_inactive: false, is_traced: false },
    cost_usd: '0',
    messages: [],
    turns: [],
    calls: [],
    approvals: [],
  };
  // What the pieces of a chat do not show is left out.
  return fullStateOf(conversation as unknown as ConsoleConversation, 0);
}
