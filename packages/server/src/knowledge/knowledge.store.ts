import { maxContentCharacters } from '@svc/contract/knowledge';
import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, eq, getTableColumns, inArray, sql } from '../database/drizzle.ts';
import { type ListCursor, listPage, type PagePart, rowBytes } from '../database/list-page.ts';
import { knowledge, knowledgeFiles } from './knowledge.tables.ts';

export type SourceRow = typeof knowledge.$inferSelect;
export type KnowledgeRow = SourceRow & { contentTruncated: boolean };
export type NewKnowledge = Pick<SourceRow, 'id' | 'botId' | 'title' | 'hasOwnTitle' | 'contentType'> &
  Partial<
    Pick<SourceRow, 'content' | 'fileKey' | 'metadata' | 'requestedUrl' | 'sourceFilename' | 'sourceUrl'>
  >;
export type KnowledgeChange = Partial<Omit<SourceRow, 'id' | 'workspaceId'>>;
/** The request that a job serves; a newer request for the same source replaces all earlier ones. */
export interface Revision {
  knowledgeId: string;
  revision: number;
}
/** The right to write a source's progress. */
export interface Claim extends Revision {
  fence: number;
}

/** As it is shown: with whole contents, every list would be as long as all books in it. */
const shown = {
  ...getTableColumns(knowledge),
  content: sql<string>`left(${knowledge.content}, ${sql.raw(String(maxContentCharacters))})`,
  contentTruncated: sql<boolean>`char_length(${knowledge.content}) > ${sql.raw(String(maxContentCharacters))}`,
};

/** An estimate, without reading the content. */
const shownBytes = sql`least(octet_length(${knowledge.content}), ${sql.raw(String(maxContentCharacters * 2))})`;

const cutOff = 'It was being read when the service ended, and is read again.';

export interface KnowledgeFilter {
  status: SourceRow['status'];
  metadata: Record<string, string>;
}

export const knowledgeStore = {
  async insert(tx: Transaction, workspaceId: string, source: NewKnowledge): Promise<void> {
    await tx.insert(knowledge).values({ ...source, workspaceId });
  },

  async insertFile(tx: Transaction, workspaceId: string, knowledgeId: string, bytes: Buffer): Promise<void> {
    await tx.execute(sql`insert into ${knowledgeFiles} (knowledge_id, bytes)
      select id, ${bytes} from ${knowledge} where ${inWorkspace(workspaceId, knowledgeId)}`);
  },

  /** Oldest first; `metadata` selects the sources that have all of its values. */
  listPage(
    query: Queryable,
    workspaceId: string,
    { status, metadata }: KnowledgeFilter,
    after: ListCursor | undefined,
  ): Promise<(KnowledgeRow & PagePart)[]> {
    const filter =
      Object.keys(metadata).length > 0
        ? sql`${knowledge.metadata} @> ${JSON.stringify(metadata)}::jsonb`
        : undefined;
    const { estimate, real } = rowBytes([knowledge.title], [knowledge.metadata]);
    const { page, isOnPage, part } = listPage(knowledge, {
      order: [knowledge.createdAt, knowledge.id],
      filter: and(eq(knowledge.workspaceId, workspaceId), eq(knowledge.status, status), filter),
      after,
      bytes: { estimate: sql`${estimate} + ${shownBytes}`, real: sql`${real} + ${shownBytes}` },
    });
    return query
      .select({ ...shown, ...part })
      .from(knowledge)
      .innerJoin(page, isOnPage)
      .orderBy(asc(knowledge.createdAt), asc(knowledge.id));
  },

  async find(
    query: Queryable,
    workspaceId: string,
    knowledgeId: string,
    status?: SourceRow['status'],
  ): Promise<KnowledgeRow | undefined> {
    const isStatus = status && eq(knowledge.status, status);
    const rows = await query
      .select(shown)
      .from(knowledge)
      .where(and(inWorkspace(workspaceId, knowledgeId), isStatus));
    return rows[0];
  },

  async countActive(query: Queryable, workspaceId: string) {
    return query
      .select({
        contentType: knowledge.contentType,
        processingStatus: knowledge.processingStatus,
        count: sql<number>`count(*)::int`,
      })
      .from(knowledge)
      .where(and(eq(knowledge.workspaceId, workspaceId), eq(knowledge.status, 'active')))
      .groupBy(knowledge.contentType, knowledge.processingStatus);
  },

  /** The source, locked until the transaction ends. */
  async lock(tx: Transaction, workspaceId: string, knowledgeId: string) {
    const { id, title, metadata, status, processingStatus, revision } = knowledge;
    const rows = await tx
      .select({ id, title, metadata, status, processingStatus, revision })
      .from(knowledge)
      .where(inWorkspace(workspaceId, knowledgeId))
      .for('update');
    return rows[0];
  },

  async update(
    tx: Transaction,
    workspaceId: string,
    knowledgeId: string,
    change: KnowledgeChange,
  ): Promise<void> {
    await tx
      .update(knowledge)
      .set({ ...change, updatedAt: sql`now()` })
      .where(inWorkspace(workspaceId, knowledgeId));
  },

  /** Makes all earlier jobs outdated. Returns the new revision. */
  async startRevision(tx: Transaction, workspaceId: string, knowledgeId: string) {
    const rows = await tx
      .update(knowledge)
      .set({
        revision: sql`${knowledge.revision} + 1`,
        processingStatus: 'pending',
        processingProgress: 0,
        error: null,
        attempts: 0,
        updatedAt: sql`now()`,
      })
      .where(inWorkspace(workspaceId, knowledgeId))
      .returning({
        knowledgeId: knowledge.id,
        revision: knowledge.revision,
        contentType: knowledge.contentType,
      });
    if (!rows[0]) throw new Error('A source that is locked was not there.');
    return rows[0];
  },

  /** Deletes its file, passages and vectors as well. */
  async delete(tx: Transaction, workspaceId: string, knowledgeId: string): Promise<void> {
    await tx.delete(knowledge).where(inWorkspace(workspaceId, knowledgeId));
  },

  /**
   * Claims a source, even from another job, and counts the attempt. `error` says why an earlier attempt failed. Undefined
   * when the source is gone, inactive, done, or waiting for a newer job.
   */
  async claim(query: Queryable, workspaceId: string, revision: Revision): Promise<SourceRow | undefined> {
    const rows = await query
      .update(knowledge)
      .set({
        processingStatus: 'processing',
        // The previous attempt never ended.
        error: sql`case when ${knowledge.processingStatus} = 'processing' then ${cutOff} else ${knowledge.error} end`,
        attempts: sql`${knowledge.attempts} + 1`,
        fence: sql`${knowledge.fence} + 1`,
        updatedAt: sql`now()`,
      })
      .where(and(isCurrent(workspaceId, revision), isUnfinished()))
      .returning();
    return rows[0];
  },

  /** Undoes a claim as if there had been no attempt, if the job still has the source. */
  async giveBack(query: Queryable, workspaceId: string, claim: Claim): Promise<void> {
    await query
      .update(knowledge)
      .set({
        processingStatus: 'pending',
        attempts: sql`greatest(${knowledge.attempts} - 1, 0)`,
        updatedAt: sql`now()`,
      })
      .where(and(isCurrent(workspaceId, claim), eq(knowledge.fence, claim.fence)));
  },

  /** Sources that should have a job. */
  async listUnfinishedAcrossWorkspaces(query: Queryable) {
    const { workspaceId, id: knowledgeId, revision, contentType } = knowledge;
    return query
      .select({ workspaceId, knowledgeId, revision, contentType })
      .from(knowledge)
      .where(and(eq(knowledge.status, 'active'), isUnfinished()));
  },

  /** The number of consecutive attempts without progress. */
  async countAttempts(query: Queryable, workspaceId: string, knowledgeId: string): Promise<number> {
    const rows = await query
      .select({ attempts: knowledge.attempts })
      .from(knowledge)
      .where(inWorkspace(workspaceId, knowledgeId));
    return rows[0]?.attempts ?? 0;
  },

  async findFile(query: Queryable, workspaceId: string, knowledgeId: string): Promise<Buffer | undefined> {
    const rows = await query
      .select({ bytes: knowledgeFiles.bytes })
      .from(knowledgeFiles)
      .innerJoin(knowledge, eq(knowledge.id, knowledgeFiles.knowledgeId))
      .where(inWorkspace(workspaceId, knowledgeId));
    return rows[0]?.bytes;
  },

  /** Writes a job's progress; false when the job no longer has the source. Locks the row until the transaction ends. */
  async updateCurrent(
    query: Queryable,
    workspaceId: string,
    claim: Claim,
    change: KnowledgeChange,
  ): Promise<boolean> {
    const rows = await query
      .update(knowledge)
      .set({ ...change, updatedAt: sql`now()` })
      .where(and(isCurrent(workspaceId, claim), eq(knowledge.fence, claim.fence)))
      .returning({ id: knowledge.id });
    return rows.length > 0;
  },
};

function inWorkspace(workspaceId: string, knowledgeId: string) {
  return and(eq(knowledge.id, knowledgeId), eq(knowledge.workspaceId, workspaceId));
}

function isCurrent(workspaceId: string, { knowledgeId, revision }: Revision) {
  return and(
    inWorkspace(workspaceId, knowledgeId),
    eq(knowledge.revision, revision),
    eq(knowledge.status, 'active'),
  );
}

function isUnfinished() {
  return inArray(knowledge.processingStatus, ['pending', 'processing']);
}
