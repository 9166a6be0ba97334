import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { firstIdAt } from '../../lib/new-id.ts';
import { conversationCountStore } from './conversation-counts.store.ts';

interface ConversationCounts {
  total: number;
  /** New ones on each of the last seven days in UTC, today last. */
  week: number[];
}

export type ConversationCountService = ReturnType<typeof createConversationCounts>;

const dayMilliseconds = 86_400_000;
const days = 7;

/** How much bots are used, for lists of bots. */
export function createConversationCounts({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** Totals are counted up to `limit`. */
    async ofBots(
      workspaceId: string,
      botIds: readonly string[],
      limit: number,
    ): Promise<(botId: string) => ConversationCounts> {
      const today = Math.floor(clock.now().getTime() / dayMilliseconds) * dayMilliseconds;
      const first = today - (days - 1) * dayMilliseconds;
      const query = database.within(workspaceId);
      const [totals, perDay] = await Promise.all([
        conversationCountStore.countByBot(query, workspaceId, botIds, limit),
        conversationCountStore.countByDay(query, workspaceId, firstIdAt(new Date(first))),
      ]);
      const names = Array.from({ length: days }, (_, index) =>
        new Date(first + index * dayMilliseconds).toISOString().slice(0, 10),
      );
      const counts = new Map(perDay.map(({ botId, day, count }) => [`${botId} ${day}`, count]));
      const totalOf = new Map(totals.map(({ botId, count }) => [botId, count]));
      return (botId) => ({
        total: totalOf.get(botId) ?? 0,
        week: names.map((day) => counts.get(`${botId} ${day}`) ?? 0),
      });
    },
  };
}
