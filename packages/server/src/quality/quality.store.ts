import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, desc, eq, gte, inArray, lt, sql } from '../database/drizzle.ts';
import { qualityRecords as records } from './quality.tables.ts';

export type QualityRow = typeof records.$inferSelect;
export type NewQualityRecord = Omit<typeof records.$inferInsert, 'workspaceId'>;

export interface RecordFilter {
  refused?: boolean | undefined;
  unsupported?: boolean | undefined;
  /** The last record of the previous page. */
  before?: string | undefined;
  limit: number;
}

/** A reply with what its user wrote and was sent. */
export interface RecordWithTexts {
  record: QualityRow;
  question: string | null;
  answer: string | null;
  citations: { title: string; quote: string }[] | null;
}

export interface BotCounts extends Omit<DayCounts, 'day'> {
  botId: string;
}

const maxQuestionCharacters = 500;
const maxAnswerCharacters = 4_000;

export type Findings = Pick<QualityRow, 'verdict' | 'unsupportedClaims' | 'validatedAt'>;

export interface DayCounts {
  /** `2026-11-15`, in UTC. */
  day: string;
  graded: number;
  averageScore: number | null;
  refused: number;
  ungraded: number;
  validated: number;
  supported: number;
  unsupported: number;
}

const maxBots = 1_000;
const count = (condition: ReturnType<typeof sql>) => sql<number>`(count(*) filter (where ${condition}))::int`;

const counts = {
  graded: count(sql`${records.grading} = 'graded'`),
  averageScore: sql<number | null>`avg(${records.score})`,
  refused: count(sql`${records.refused}`),
  ungraded: count(sql`${records.grading} = 'ungraded'`),
  validated: count(sql`${records.validation} = 'validated'`),
  supported: count(sql`${records.verdict} = 'supported'`),
  unsupported: count(sql`${records.verdict} = 'unsupported'`),
};

/** A failed validation may be retried. */
const unvalidated = ['pending', 'failed'] as const;

export const qualityStore = {
  async insert(tx: Transaction, workspaceId: string, record: NewQualityRecord): Promise<void> {
    await tx.insert(records).values({ ...record, workspaceId });
  },

  async findOfMessage(query: Queryable, workspaceId: string, messageId: string) {
    const rows = await query
      .select()
      .from(records)
      .where(and(eq(records.messageId, messageId), eq(records.workspaceId, workspaceId)));
    return rows[0];
  },

  /** Replies of a conversation that were not sent. */
  listRefused(query: Queryable, workspaceId: string, conversationId: string): Promise<QualityRow[]> {
    return query
      .select()
      .from(records)
      .where(
        and(
          eq(records.conversationId, conversationId),
          eq(records.workspaceId, workspaceId),
          eq(records.refused, true),
        ),
      );
  },

  /** Marks a message's record for validation, creating it if needed; returns its id. */
  async setPending(tx: Transaction, workspaceId: string, record: NewQualityRecord): Promise<string> {
    const rows = await tx
      .insert(records)
      .values({ ...record, workspaceId, validation: 'pending' })
      .onConflictDoUpdate({ target: records.messageId, set: { validation: 'pending' } })
      .returning({ id: records.id });
    return rows[0]?.id ?? record.id;
  },

  /** Undefined even for an existing record if it needs no validation or has its verdict. */
  async findUnvalidated(query: Queryable, workspaceId: string, id: string): Promise<QualityRow | undefined> {
    const rows = await query.select().from(records).where(isUnvalidated(workspaceId, id));
    return rows[0];
  },

  /** False if another job was faster, or the reply was truncated in the meantime. */
  async saveFindings(tx: Transaction, workspaceId: string, id: string, findings: Findings): Promise<boolean> {
    const rows = await tx
      .update(records)
      .set({ ...findings, validation: 'validated', validationProblem: null, passages: [] })
      .where(isUnvalidated(workspaceId, id))
      .returning({ id: records.id });
    return rows.length > 0;
  },

  async markFailed(query: Queryable, workspaceId: string, id: string, problem: string): Promise<void> {
    await query
      .update(records)
      .set({ validation: 'failed', validationProblem: problem })
      .where(isUnvalidated(workspaceId, id));
  },

  /** Newest first, by id, because ids are ordered by time. */
  list(query: Queryable, workspaceId: string, botId: string, filter: RecordFilter): Promise<QualityRow[]> {
    return query
      .select()
      .from(records)
      .where(isListed(workspaceId, botId, filter))
      .orderBy(desc(records.id))
      .limit(filter.limit);
  },

  /** The same of one bot or of all, with the texts of the messages, shortened. */
  listWithTexts(
    query: Queryable,
    workspaceId: string,
    { botId, ...filter }: RecordFilter & { botId: string | undefined },
  ): Promise<RecordWithTexts[]> {
    const isReply = sql`m.id = ${records.messageId} and m.workspace_id = ${records.workspaceId}`;
    const answer = sql<
      string | null
    >`(select left(m.content, ${maxAnswerCharacters}) from messages m where ${isReply})`;
    const citations = sql<
      RecordWithTexts['citations']
    >`(select m.citations from messages m where ${isReply})`;
    const question = sql<string | null>`(select left(m.content, ${maxQuestionCharacters}) from messages m
      where m.conversation_id = ${records.conversationId} and m.turn_id = ${records.turnId} and m.role = 'user'
        and m.workspace_id = ${records.workspaceId}
      order by m.sequence desc limit 1)`;
    return query
      .select({ record: records, question, answer, citations })
      .from(records)
      .where(isListed(workspaceId, botId, filter))
      .orderBy(desc(records.id))
      .limit(filter.limit);
  },

  /** Bots without a record are left out. */
  countByBot(
    query: Queryable,
    workspaceId: string,
    { botId, since }: { botId: string | undefined; since: Date },
  ): Promise<BotCounts[]> {
    return query
      .select({ botId: records.botId, ...counts })
      .from(records)
      .where(within(workspaceId, botId, since))
      .groupBy(records.botId)
      .orderBy(desc(sql`count(*)`), asc(records.botId))
      .limit(maxBots);
  },

  /** Days without a record are left out. */
  countByDay(
    query: Queryable,
    workspaceId: string,
    { botId, since }: { botId: string | undefined; since: Date },
  ): Promise<DayCounts[]> {
    const day = sql<string>`to_char(${records.createdAt} at time zone 'UTC', 'YYYY-MM-DD')`;
    return query
      .select({ day, ...counts })
      .from(records)
      .where(within(workspaceId, botId, since))
      .groupBy(day)
      .orderBy(asc(day));
  },
};

function isListed(workspaceId: string, botId: string | undefined, filter: RecordFilter) {
  return and(
    eq(records.workspaceId, workspaceId),
    botId === undefined ? undefined : eq(records.botId, botId),
    filter.refused ? eq(records.refused, true) : undefined,
    filter.unsupported ? eq(records.verdict, 'unsupported') : undefined,
    filter.before === undefined ? undefined : lt(records.id, filter.before),
  );
}

function within(workspaceId: string, botId: string | undefined, since: Date) {
  return and(
    eq(records.workspaceId, workspaceId),
    gte(records.createdAt, since),
    botId === undefined ? undefined : eq(records.botId, botId),
  );
}

function isUnvalidated(workspaceId: string, id: string) {
  return and(
    eq(records.id, id),
    eq(records.workspaceId, workspaceId),
    inArray(records.validation, unvalidated),
  );
}
