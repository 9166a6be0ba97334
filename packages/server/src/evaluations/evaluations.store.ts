import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, desc, eq, inArray, lt, sql } from '../database/drizzle.ts';
import { nodeLost } from '../nodes/presence.ts';
import { evaluationCases as cases, evaluations } from './evaluations.tables.ts';

export type EvaluationRow = typeof evaluations.$inferSelect;
export type CaseRow = typeof cases.$inferSelect;
export type NewEvaluation = Pick<EvaluationRow, 'id' | 'botId' | 'version' | 'createdBy'>;
export type NewCase = Pick<CaseRow, 'id' | 'scenarioId' | 'position' | 'scenario'>;
export type CaseState = Pick<CaseRow, 'evaluationId' | 'scenarioId' | 'status' | 'conversationId'>;
export type CaseOutcome = Pick<CaseRow, 'status' | 'facts' | 'reasons'>;

/** A case that was decided, with the evaluation it belongs to. */
export interface DecidedCase {
  scenarioId: string;
  evaluationId: string;
  version: number;
  status: CaseRow['status'];
}

const open = ['pending', 'running'] as const;
const decided = ['passed', 'failed', 'error'] as const;

export const evaluationStore = {
  /** False when the bot has an evaluation that is not over. The new one has no node yet. */
  async insert(tx: Transaction, workspaceId: string, evaluation: NewEvaluation, newCases: NewCase[]) {
    const made = await tx
      .insert(evaluations)
      .values({ ...evaluation, workspaceId, status: 'running' })
      .onConflictDoNothing()
      .returning({ id: evaluations.id });
    if (made.length === 0) return false;
    const place = { workspaceId, evaluationId: evaluation.id, status: 'pending' as const };
    await tx.insert(cases).values(newCases.map((one) => ({ ...one, ...place })));
    return true;
  },

  async find(query: Queryable, workspaceId: string, botId: string, evaluationId: string) {
    const isOfBot = and(ofWorkspace(workspaceId, evaluationId), eq(evaluations.botId, botId));
    return (await query.select().from(evaluations).where(isOfBot))[0];
  },

  async findRunning(query: Queryable, workspaceId: string, botId: string) {
    const rows = await query
      .select()
      .from(evaluations)
      .where(
        and(
          eq(evaluations.workspaceId, workspaceId),
          eq(evaluations.botId, botId),
          eq(evaluations.status, 'running'),
        ),
      );
    return rows[0];
  },

  /** Newest first, by id: ids grow over time. */
  list(
    query: Queryable,
    workspaceId: string,
    botId: string,
    { before, limit }: { before: string | undefined; limit: number },
  ): Promise<EvaluationRow[]> {
    const isBefore = before === undefined ? undefined : lt(evaluations.id, before);
    return query
      .select()
      .from(evaluations)
      .where(and(eq(evaluations.workspaceId, workspaceId), eq(evaluations.botId, botId), isBefore))
      .orderBy(desc(evaluations.id))
      .limit(limit);
  },

  /** In the order in which they are run. */
  listCases(query: Queryable, workspaceId: string, evaluationId: string): Promise<CaseRow[]> {
    return query
      .select()
      .from(cases)
      .where(and(eq(cases.workspaceId, workspaceId), eq(cases.evaluationId, evaluationId)))
      .orderBy(asc(cases.position));
  },

  /** The same for several evaluations, without the content of the scenarios. */
  async listStates(query: Queryable, workspaceId: string, evaluationIds: readonly string[]) {
    if (evaluationIds.length === 0) return [];
    const { evaluationId, scenarioId, status, conversationId } = cases;
    return query
      .select({ evaluationId, scenarioId, status, conversationId })
      .from(cases)
      .where(and(eq(cases.workspaceId, workspaceId), inArray(evaluationId, [...evaluationIds])))
      .orderBy(asc(evaluationId), asc(cases.position));
  },

  /** The case of a conversation, with the version that is evaluated. */
  async findCase(query: Queryable, workspaceId: string, conversationId: string) {
    const rows = await query
      .select({ scenario: cases.scenario, version: evaluations.version })
      .from(cases)
      .innerJoin(evaluations, eq(evaluations.id, cases.evaluationId))
      .where(and(eq(cases.conversationId, conversationId), eq(cases.workspaceId, workspaceId)));
    return rows[0];
  },

  /** For each of these scenarios, the last decided case before an evaluation. */
  async listPrevious(
    query: Queryable,
    workspaceId: string,
    evaluationId: string,
    scenarioIds: readonly string[],
  ): Promise<DecidedCase[]> {
    const { rows } = await query.execute<Record<keyof DecidedCase, never>>(
      sql`select distinct on (c.scenario_id)
        c.scenario_id as "scenarioId", c.evaluation_id as "evaluationId", e.version, c.status
      from ${cases} c join ${evaluations} e on e.id = c.evaluation_id
      where c.workspace_id = ${workspaceId} and c.scenario_id in ${[...scenarioIds]} and c.status in ${[...decided]}
        and e.created_at < (select created_at from ${evaluations} where id = ${evaluationId})
      order by c.scenario_id, e.created_at desc`,
    );
    return rows;
  },

  /**
   * Claims evaluations that no node drives: those of nodes that are gone, and those of this node that it does not drive. Two
   * nodes never claim the same one.
   */
  claimAcrossWorkspaces(query: Queryable, nodeId: string, driven: readonly string[], limit: number) {
    const { id, status, nodeId: node } = evaluations;
    const own = driven.length > 0 ? sql`and ${id} not in ${[...driven]}` : sql``;
    const free = sql`select ${id} from ${evaluations} where ${status} = 'running'
      and (${node} is null or (${node} = ${nodeId} ${own}) or (${node} <> ${nodeId} and ${nodeLost(node)}))
      order by ${id} limit ${limit} for update skip locked`;
    return query.update(evaluations).set({ nodeId }).where(sql`${id} in (${free})`).returning();
  },

  /** Frees the evaluation for any node. */
  async release(query: Queryable, workspaceId: string, evaluationId: string, nodeId: string): Promise<void> {
    await query
      .update(evaluations)
      .set({ nodeId: null })
      .where(and(ofWorkspace(workspaceId, evaluationId), eq(evaluations.nodeId, nodeId)));
  },

  /** The first case that is not over. */
  async nextCase(query: Queryable, workspaceId: string, evaluationId: string): Promise<CaseRow | undefined> {
    const rows = await query
      .select()
      .from(cases)
      .where(openCases(workspaceId, evaluationId))
      .orderBy(asc(cases.position))
      .limit(1);
    return rows[0];
  },

  /** Adds an admitted turn to a case; false when another node was first, or the case is over. */
  async addTurn(
    tx: Transaction,
    workspaceId: string,
    { id, turnIds }: Pick<CaseRow, 'id' | 'turnIds'>,
    turn: { turnId: string; conversationId: string; now: Date },
  ): Promise<boolean> {
    const rows = await tx
      .update(cases)
      .set({
        status: 'running',
        conversationId: turn.conversationId,
        turnIds: sql`array_append(${cases.turnIds}, ${turn.turnId}::uuid)`,
        startedAt: sql`coalesce(${cases.startedAt}, ${turn.now.toISOString()}::timestamptz)`,
      })
      .where(
        and(
          thisCase(workspaceId, id),
          inArray(cases.status, [...open]),
          sql`cardinality(${cases.turnIds}) = ${turnIds.length}`,
        ),
      )
      .returning({ id: cases.id });
    return rows.length > 0;
  },

  /** Stores the outcome of a case once: a case that is over stays as it is. */
  async endCase(tx: Transaction, workspaceId: string, caseId: string, outcome: CaseOutcome): Promise<void> {
    await tx
      .update(cases)
      .set({ ...outcome, endedAt: sql`now()` })
      .where(and(thisCase(workspaceId, caseId), inArray(cases.status, [...open])));
  },

  /** Ends a running evaluation and skips its open cases; false when it no longer runs. */
  async end(
    tx: Transaction,
    workspaceId: string,
    evaluationId: string,
    { status, error }: Pick<EvaluationRow, 'status' | 'error'>,
  ): Promise<boolean> {
    const ended = await tx
      .update(evaluations)
      .set({ status, error, nodeId: null, endedAt: sql`now()` })
      .where(and(ofWorkspace(workspaceId, evaluationId), eq(evaluations.status, 'running')))
      .returning({ id: evaluations.id });
    if (ended.length === 0) return false;
    await tx
      .update(cases)
      .set({ status: 'skipped', endedAt: sql`now()` })
      .where(openCases(workspaceId, evaluationId));
    return true;
  },
};

function ofWorkspace(workspaceId: string, evaluationId: string) {
  return and(eq(evaluations.id, evaluationId), eq(evaluations.workspaceId, workspaceId));
}

function thisCase(workspaceId: string, caseId: string) {
  return and(eq(cases.id, caseId), eq(cases.workspaceId, workspaceId));
}

/** The cases of an evaluation that are not over. */
function openCases(workspaceId: string, evaluationId: string) {
  return and(
    eq(cases.evaluationId, evaluationId),
    eq(cases.workspaceId, workspaceId),
    inArray(cases.status, [...open]),
  );
}
