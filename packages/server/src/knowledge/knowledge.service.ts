import type { AuditAction } from '@svc/contract/audit';
import type { Message } from '@svc/contract/common';
import type { ExplainedSearch } from '@svc/contract/console-knowledge';
import type {
  FoundPassage,
  Knowledge,
  KnowledgeCreate,
  KnowledgeSearch,
  KnowledgeStats,
  UploadOutcome,
} from '@svc/contract/knowledge';
import { recordChange } from '../audit/audit.service.ts';
import type { Transaction } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import { invalid, notFound } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import { type KnownPassage, toCitation } from '../models/passages.ts';
import type { Services } from '../services.ts';
import { type OfferedFile, refusalOf } from './check-file.ts';
import { enqueueIngestion } from './ingestion/ingestion.queue.ts';
import {
  type KnowledgeFilter,
  type KnowledgeRow,
  knowledgeStore,
  type NewKnowledge,
} from './knowledge.store.ts';
import { toWire } from './knowledge.wire.ts';
import { toNewSource } from './new-source.ts';
import type { Found, Passage, Question, Retrieval } from './retrieval/retrieve.ts';

const defaultLimit = 5;
const timeLimitMilliseconds = 30_000;

export interface Upload {
  files: OfferedFile[];
  title: string | undefined;
  botId: string | undefined;
  metadata: Record<string, string>;
}

export type KnowledgeService = ReturnType<typeof createKnowledgeService>;

export function createKnowledgeService(
  { database, bots, files, jobs }: Pick<Services, 'bots' | 'database' | 'files' | 'jobs'>,
  retrieval: Retrieval,
) {
  return {
    list: (workspaceId: string, filter: KnowledgeFilter): ListPages<Knowledge> =>
      inPages(
        (after) => knowledgeStore.listPage(database.within(workspaceId), workspaceId, filter, after),
        (rows) => rows.map(toWire),
      ),

    async get(workspaceId: string, knowledgeId: string): Promise<Knowledge> {
      const row = await knowledgeStore.find(database.within(workspaceId), workspaceId, knowledgeId, 'active');
      if (!row) throw notFound();
      return toWire(row);
    },

    async stats(workspaceId: string): Promise<KnowledgeStats> {
      const stats: KnowledgeStats = {
        total_knowledge_bases: 0,
        by_type: { text: 0, uploaded_file: 0, url: 0 },
        by_status: { pending: 0, processing: 0, completed: 0, failed: 0 },
      };
      for (const row of await knowledgeStore.countActive(database.within(workspaceId), workspaceId)) {
        stats.total_knowledge_bases += row.count;
        stats.by_type[row.contentType] += row.count;
        stats.by_status[row.processingStatus] += row.count;
      }
      return stats;
    },

    async create(
      workspaceId: string,
      body: KnowledgeCreate,
      record: RecordAnswer<Knowledge>,
    ): Promise<Knowledge> {
      const source = toNewSource(newId(), body);
      await checkBot(workspaceId, source.botId);
      return database.within(workspaceId).transaction(async (tx) => {
        await insert(tx, workspaceId, source);
        const row = await knowledgeStore.find(tx, workspaceId, source.id);
        const answer = toWire(row as KnowledgeRow);
        await record(tx, answer);
        return answer;
      });
    },

    /** Files are independent: a file that is not accepted is reported, and the others become sources. */
    async upload(
      workspaceId: string,
      { files: offered, title, botId, metadata }: Upload,
      record: RecordAnswer<UploadOutcome>,
    ): Promise<UploadOutcome> {
      if (title?.trim() === '') throw invalid('title', 'must not be blank');
      await checkBot(workspaceId, botId ?? null);
      const checked = offered.map((file) => ({ file, id: newId(), reason: refusalOf(file) }));
      const taken = checked.filter(({ reason }) => reason === undefined);
      const outcome: UploadOutcome = {
        created: taken.map(({ file: { filename }, id }) => ({ id, filename, title: title ?? filename })),
        errors: checked.flatMap(({ file: { filename }, reason }) => (reason ? [{ filename, reason }] : [])),
      };
      if (taken.length === 0) return outcome;
      const insertAll = (keys: readonly string[]) =>
        database.within(workspaceId).transaction(async (tx) => {
          for (const [index, { file, id }] of taken.entries()) {
            const fileKey = keys[index] ?? null;
            await insert(tx, workspaceId, {
              id,
              botId: botId ?? null,
              title: title ?? file.filename,
              hasOwnTitle: title !== undefined,
              contentType: 'uploaded_file',
              sourceFilename: file.filename,
              fileKey,
              metadata,
            });
            if (fileKey === null) await knowledgeStore.insertFile(tx, workspaceId, id, file.bytes());
            else await files.keep(tx, workspaceId, fileKey);
          }
          await record(tx, outcome);
          return outcome;
        });
      if (!files.hasBucket) return insertAll([]);
      const contents = taken.map(({ file }) => file.bytes());
      return files.store(workspaceId, contents, insertAll);
    },

    async replaceMetadata(
      workspaceId: string,
      knowledgeId: string,
      metadata: Record<string, string>,
    ): Promise<void> {
      await withActive(workspaceId, knowledgeId, async (tx, source) => {
        await knowledgeStore.update(tx, workspaceId, knowledgeId, { metadata });
        const object = { id: knowledgeId, name: source.title };
        const before = { metadata: source.metadata };
        const after = { metadata };
        await recordChange(tx, workspaceId, { action: 'knowledge.updated', object, before, after });
      });
    },

    /** Removes it from lists, counts and answers immediately; its chunks and vectors are kept. */
    async deactivate(workspaceId: string, knowledgeId: string): Promise<void> {
      await withAny(workspaceId, knowledgeId, async (tx, source) => {
        await knowledgeStore.update(tx, workspaceId, knowledgeId, { status: 'inactive' });
        if (source.status === 'active') await recordKnowledge(tx, workspaceId, 'knowledge.removed', source);
      });
    },

    /** Deletes it permanently, with its file, passages and vectors. */
    async delete(workspaceId: string, knowledgeId: string): Promise<void> {
      await withAny(workspaceId, knowledgeId, async (tx, source) => {
        await knowledgeStore.delete(tx, workspaceId, knowledgeId);
        await recordKnowledge(tx, workspaceId, 'knowledge.deleted', source);
      });
    },

    /** Processing that was unfinished when it was deactivated is resumed. */
    async restore(workspaceId: string, knowledgeId: string): Promise<void> {
      await withAny(workspaceId, knowledgeId, async (tx, source) => {
        const { status, processingStatus } = source;
        if (status === 'active') return;
        await recordKnowledge(tx, workspaceId, 'knowledge.restored', source);
        await knowledgeStore.update(tx, workspaceId, knowledgeId, { status: 'active' });
        const isEnded = processingStatus === 'completed' || processingStatus === 'failed';
        if (!isEnded) await reprocess(tx, workspaceId, knowledgeId);
      });
    },

    /** The passages that retrieval would find. */
    async explain(workspaceId: string, body: KnowledgeSearch): Promise<FoundPassage[]> {
      return (await findFor(workspaceId, body)).passages.map(toFound);
    },

    /** The same, with the place of each passage and the model that compared meanings. */
    async explainFully(workspaceId: string, body: KnowledgeSearch): Promise<ExplainedSearch> {
      const { passages, usage } = await findFor(workspaceId, body);
      return {
        passages: passages.map((passage) => ({
          ...toFound(passage),
          passage_id: passage.chunk_id,
          heading_path: passage.heading_path,
        })),
        embedding_model: usage?.model ?? null,
      };
    },

    /** For turns, for models in them, and for tests of a tool. */
    async search(question: Question, signal: AbortSignal) {
      const { passages, usage } = await retrieval.search(question, signal);
      return { passages: passages.map(toKnown), used: usage };
    },

    /** Reads the source again. Until that is done, and if it fails, its earlier passages stay in use. */
    async refresh(workspaceId: string, knowledgeId: string, record: RecordAnswer<Message>): Promise<Message> {
      const answer = { message: 'The source is read again.' };
      await withActive(workspaceId, knowledgeId, async (tx, source) => {
        await reprocess(tx, workspaceId, knowledgeId);
        await recordKnowledge(tx, workspaceId, 'knowledge.refreshed', source);
        await record(tx, answer);
      });
      return answer;
    },
  };

  async function findFor(workspaceId: string, body: KnowledgeSearch): Promise<Found> {
    const { query, bot_id: botId = null, limit = defaultLimit } = body;
    await checkBot(workspaceId, botId);
    const question = { workspaceId, botId: botId ?? undefined, query, limit };
    return retrieval.search(question, AbortSignal.timeout(timeLimitMilliseconds));
  }

  async function checkBot(workspaceId: string, botId: string | null): Promise<void> {
    if (botId !== null) await bots.getRow(workspaceId, botId);
  }

  async function insert(tx: Transaction, workspaceId: string, source: NewKnowledge): Promise<void> {
    await knowledgeStore.insert(tx, workspaceId, source);
    await recordKnowledgeAdded(tx, workspaceId, source);
    const { id: knowledgeId, contentType } = source;
    await enqueueIngestion(jobs, tx, { workspaceId, knowledgeId, revision: 1, contentType });
  }

  async function reprocess(tx: Transaction, workspaceId: string, knowledgeId: string): Promise<void> {
    const begun = await knowledgeStore.startRevision(tx, workspaceId, knowledgeId);
    await enqueueIngestion(jobs, tx, { workspaceId, ...begun });
  }

  type Held = NonNullable<Awaited<ReturnType<typeof knowledgeStore.lock>>>;

  async function withAny(
    workspaceId: string,
    knowledgeId: string,
    work: (tx: Transaction, source: Held) => Promise<void>,
  ): Promise<void> {
    await database.within(workspaceId).transaction(async (tx) => {
      const source = await knowledgeStore.lock(tx, workspaceId, knowledgeId);
      if (!source) throw notFound();
      await work(tx, source);
    });
  }

  /** An inactive source does not exist until it is restored. */
  function withActive(
    workspaceId: string,
    knowledgeId: string,
    work: (tx: Transaction, source: Held) => Promise<void>,
  ): Promise<void> {
    return withAny(workspaceId, knowledgeId, (tx, source) => {
      if (source.status !== 'active') throw notFound();
      return work(tx, source);
    });
  }
}

function toFound(passage: Passage): FoundPassage {
  return {
    ...toCitation(passage),
    vector_score: passage.vector_score,
    keyword_score: passage.keyword_score,
  };
}

function toKnown(passage: Passage): KnownPassage {
  return { ...toCitation(passage), heading_path: passage.heading_path };
}

function recordKnowledgeAdded(tx: Transaction, workspaceId: string, source: NewKnowledge): Promise<void> {
  const { id, title, botId, contentType, sourceFilename, metadata } = source;
  return recordChange(tx, workspaceId, {
    action: 'knowledge.added',
    object: { id, name: title },
    after: {
      title,
      bot_id: botId,
      content_type: contentType,
      source_filename: sourceFilename,
      source_url: source.sourceUrl,
      metadata,
    },
  });
}

/** A change of a source's state. */
function recordKnowledge(
  tx: Transaction,
  workspaceId: string,
  action: Extract<AuditAction, `knowledge.${string}`>,
  { id, title }: { id: string; title: string },
): Promise<void> {
  return recordChange(tx, workspaceId, { action, object: { id, name: title } });
}
