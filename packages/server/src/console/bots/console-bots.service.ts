import { type ConsoleBot, maxCountedConversations, type TestMessage } from '@svc/contract/console-bots';
import { type BotRow, toWireBot } from '../../bots/bots.service.ts';
import type { ConversationCountService } from '../../conversations/counts/conversation-counts.service.ts';
import type { ListPages } from '../../database/list-page.ts';
import type { Services } from '../../services.ts';
import type { AcceptedTurn, SendOptions } from '../../turns/turns.service.ts';

export interface ConsoleBotDependencies extends Pick<Services, 'bots' | 'drafts' | 'turns'> {
  counts: ConversationCountService;
}

/** A member who tests a bot. */
export interface Tester {
  workspaceId: string;
  botId: string;
  memberId: string;
}

export type ConsoleBotService = ReturnType<typeof createConsoleBotService>;

/** Bots as the console shows and tests them. */
export function createConsoleBotService({ bots, drafts, turns, counts }: ConsoleBotDependencies) {
  async function withCounts(workspaceId: string, rows: readonly BotRow[]): Promise<ConsoleBot[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const countsOf = await counts.ofBots(workspaceId, ids, maxCountedConversations + 1);
    return rows.map((row) => {
      const { total, week } = countsOf(row.id);
      const { version, toolCount } = row;
      return { ...toWireBot(row), version, tool_count: toolCount, conversation_count: total, week };
    });
  }

  return {
    async *list(workspaceId: string): ListPages<ConsoleBot> {
      const pages = bots.listRows(workspaceId);
      for (;;) {
        const { value, done } = await pages.next();
        const shown = await withCounts(workspaceId, value);
        if (done) return shown;
        yield shown;
      }
    },

    async get(workspaceId: string, botId: string): Promise<ConsoleBot> {
      const [bot] = await withCounts(workspaceId, [await bots.getRow(workspaceId, botId)]);
      return bot as ConsoleBot;
    },

    /** Sends a message to a draft of a bot. Everybody has their own test conversations. */
    async test(
      { workspaceId, botId, memberId }: Tester,
      { message, draft, conversation_id: conversationId }: TestMessage,
      options: Omit<SendOptions, 'channel' | 'version'>,
    ): Promise<AcceptedTurn> {
      await drafts.use(workspaceId, botId, draft);
      const place =
        conversationId === undefined ? { new_conversation: true } : { conversation_id: conversationId };
      const sent = { ...place, bot_id: botId, message, external_user_id: memberId };
      return turns.send(workspaceId, sent, {
        ...options,
        channel: 'test',
        actsFor: memberId,
        version: draft,
      });
    },

    /** Removes drafts that are no longer needed. */
    sweepDrafts: (): Promise<void> =>
      drafts.sweep(({ workspaceId, botId, number }) => turns.usesDraft(workspaceId, botId, number)),
  };
}
