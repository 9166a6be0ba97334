import type {
  KnowledgeOverview,
  KnowledgeSource,
  KnowledgeSourceQuery,
  PassageQuery,
  SourcePassages,
} from '@svc/contract/console-knowledge';
import { notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import { isUuid } from '../../validation/is-uuid.ts';
import { withoutContent } from '../knowledge.wire.ts';
import { knowledgeOverviewStore, type ListedRow } from './knowledge-overview.store.ts';

const defaultLimit = 50;
/** How many passages are shown above the one that was asked for. */
const passagesAbove = 5;

const processing = {
  unfinished: ['pending', 'processing'],
  completed: ['completed'],
  failed: ['failed'],
} as const;
export type KnowledgeOverviewService = ReturnType<typeof createKnowledgeOverviewService>;

/** Knowledge as people look at it: lists without texts, counts, and the passages of one source. */
export function createKnowledgeOverviewService({ database, bots }: Pick<Services, 'bots' | 'database'>) {
  return {
    async list(
      workspaceId: string,
      asked: KnowledgeSourceQuery,
    ): Promise<{ sources: KnowledgeSource[]; next: string | undefined }> {
      const { q, bot_id: botId, status, type, deleted = false, limit = defaultLimit } = asked;
      if (botId !== undefined) await bots.getRow(workspaceId, botId);
      const rows = await knowledgeOverviewStore.list(database.within(workspaceId), workspaceId, {
        q: q?.trim() || undefined,
        botId,
        processing: status && processing[status],
        type,
        status: deleted ? 'inactive' : 'active',
        before: asked.before === undefined || isUuid(asked.before) ? asked.before : undefined,
        limit: limit + 1,
      });
      const sources = rows.slice(0, limit).map(sourceToWire);
      return { sources, next: rows.length > limit ? sources.at(-1)?.id : undefined };
    },

    /** Active or not. */
    async get(workspaceId: string, knowledgeId: string): Promise<KnowledgeSource> {
      const row = await knowledgeOverviewStore.find(database.within(workspaceId), workspaceId, knowledgeId);
      if (!row) throw notFound();
      return { ...sourceToWire(row), content_truncated: row.contentTruncated };
    },

    count: (workspaceId: string): Promise<KnowledgeOverview> =>
      knowledgeOverviewStore.count(database.within(workspaceId), workspaceId),

    async passages(workspaceId: string, knowledgeId: string, asked: PassageQuery): Promise<SourcePassages> {
      const query = database.within(workspaceId);
      const { passage, limit = defaultLimit } = asked;
      const total = await knowledgeOverviewStore.countPassages(query, workspaceId, knowledgeId);
      if (total === undefined) throw notFound();
      const wanted =
        passage === undefined
          ? undefined
          : await knowledgeOverviewStore.findPassage(
              query,
              workspaceId,
              knowledgeId,
              isUuid(passage) ? { id: passage } : { beginning: passage },
            );
      const from = wanted ? Math.max(0, wanted.position - passagesAbove) : (asked.from ?? 0);
      const passages = await knowledgeOverviewStore.listPassages(query, workspaceId, knowledgeId, {
        from,
        limit,
      });
      return { total, wanted: wanted?.id ?? null, passages };
    },
  };
}

function sourceToWire(row: ListedRow): KnowledgeSource {
  return { ...withoutContent(row), passage_count: row.passageCount };
}
