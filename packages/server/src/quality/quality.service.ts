import type {
  QualityQuery,
  QualityRecordQuery,
  QualityReport,
  ReviewedReply,
} from '@svc/contract/console-quality';
import type { Services } from '../services.ts';
import { readAnswerRatings } from './answer-ratings.store.ts';
import { everyDay, firstOfDays, inAll } from './days.ts';
import { qualityStore, type RecordFilter } from './quality.store.ts';
import {
  type QualityCounts,
  type QualityDay,
  type QualityRecord,
  toReview,
  toWire,
  toWireCounts,
} from './quality.wire.ts';

export interface QualityPage {
  records: QualityRecord[];
  /** The cursor of the next page; undefined on the last. */
  next: string | undefined;
}

export interface QualitySummary {
  /** Oldest first, every day. */
  days: QualityDay[];
  total: QualityCounts;
}

export type { QualityDay, QualityRecord } from './quality.wire.ts';
export type QualityService = ReturnType<typeof createQualityService>;

/** What operators see of their bots' replies. Never shown to the bots' users. */
export function createQualityService({
  database,
  bots,
  clock,
}: Pick<Services, 'clock' | 'database'> & { bots: Pick<Services['bots'], 'getRow'> }) {
  return {
    /** The records of a bot, newest first. */
    async list(workspaceId: string, botId: string, { limit = 50, ...filter }: Partial<RecordFilter> = {}) {
      await bots.getRow(workspaceId, botId);
      const rows = await qualityStore.list(database.within(workspaceId), workspaceId, botId, {
        ...filter,
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      return { records: page.map(toWire), next: rows.length > limit ? page.at(-1)?.id : undefined };
    },

    /** Replies of a conversation that were not sent. */
    async listRefused(workspaceId: string, conversationId: string): Promise<QualityRecord[]> {
      return (await qualityStore.listRefused(database.within(workspaceId), workspaceId, conversationId)).map(
        toWire,
      );
    },

    /** Single replies of a bot, or of all, with what was asked and answered, newest first. */
    async review(
      workspaceId: string,
      { bot_id: botId, limit = 25, refused, unsupported, before }: QualityRecordQuery,
    ): Promise<{ replies: ReviewedReply[]; next: string | undefined }> {
      if (botId !== undefined) await bots.getRow(workspaceId, botId);
      const rows = await qualityStore.listWithTexts(database.within(workspaceId), workspaceId, {
        botId,
        refused,
        unsupported,
        before,
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      return { replies: page.map(toReview), next: rows.length > limit ? page.at(-1)?.record.id : undefined };
    },

    /** The last days of a bot, or of all, and each bot's total. */
    async report(workspaceId: string, { bot_id: botId, days = 30 }: QualityQuery): Promise<QualityReport> {
      const summary = await this.summary(workspaceId, days, botId);
      const since = firstOfDays(days, clock.now());
      const [byBot, ratings] = await Promise.all([
        qualityStore.countByBot(database.within(workspaceId), workspaceId, { botId, since }),
        readAnswerRatings(database.within(workspaceId), workspaceId, { botId, since }),
      ]);
      return {
        ...summary,
        bots: byBot.map(({ botId: bot_id, ...counts }) => ({ bot_id, ...toWireCounts(counts) })),
        ratings,
      };
    },

    /** The last days of a bot, or of all bots of the workspace. */
    async summary(workspaceId: string, days: number, botId?: string): Promise<QualitySummary> {
      if (botId !== undefined) await bots.getRow(workspaceId, botId);
      const now = clock.now();
      const since = firstOfDays(days, now);
      const counted = await qualityStore.countByDay(database.within(workspaceId), workspaceId, {
        botId,
        since,
      });
      return {
        days: everyDay(counted, days, now).map(({ day, ...counts }) => ({
          date: day,
          ...toWireCounts(counts),
        })),
        total: toWireCounts(inAll(counted)),
      };
    },
  };
}
