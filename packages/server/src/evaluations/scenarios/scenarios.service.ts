import {
  maxScenarios,
  type Scenario,
  type ScenarioCreate,
  type ScenarioDraft,
  type ScenarioUpdate,
} from '@svc/contract/scenarios';
import { recordChange } from '../../audit/audit.service.ts';
import { listToolCalls } from '../../conversations/tool-calls/tool-calls.service.ts';
import { inPages, type ListPages } from '../../database/list-page.ts';
import type { RecordAnswer } from '../../idempotency/idempotency.service.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { CaseScenario } from '../evaluations.tables.ts';
import { draftScenario } from './draft-scenario.ts';
import { type ScenarioChange, type ScenarioRow, scenarioStore } from './scenarios.store.ts';

export type { ScenarioRow } from './scenarios.store.ts';

type CaseContent = Pick<
  ScenarioRow,
  'botId' | 'name' | 'turns' | 'expectedFacts' | 'mustCall' | 'mustNotCall' | 'standIns'
>;

export type ScenarioService = ReturnType<typeof createScenarioService>;

export function createScenarioService({
  database,
  bots,
  conversations,
}: Pick<Services, 'bots' | 'conversations' | 'database'>) {
  return {
    async *list(workspaceId: string, botId: string): ListPages<Scenario> {
      await bots.getRow(workspaceId, botId);
      return yield* inPages(
        (after) => scenarioStore.listPage(database.within(workspaceId), workspaceId, botId, after),
        (rows) => rows.map(toWire),
      );
    },

    /** A scenario that repeats a conversation, with stand-ins for its calls. Nothing is stored. */
    async draft(workspaceId: string, conversationId: string): Promise<ScenarioDraft> {
      const conversation = await conversations.get(workspaceId, conversationId);
      const calls = await listToolCalls(database, workspaceId, conversationId);
      return draftScenario(conversation, calls);
    },

    /** The scenarios with these ids, or all, in the order in which they are run. Throws NOT_FOUND for an id that is not the bot's. */
    async choose(workspaceId: string, botId: string, scenarioIds: readonly string[] | undefined) {
      const all = await scenarioStore.list(database.within(workspaceId), workspaceId, botId);
      if (!scenarioIds) return all;
      const chosen = all.filter(({ id }) => scenarioIds.includes(id));
      if (chosen.length < scenarioIds.length) throw notFound();
      return chosen;
    },

    async create(
      workspaceId: string,
      botId: string,
      body: ScenarioCreate,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const scenario = {
        id: newId(),
        botId,
        name: body.name,
        turns: body.turns,
        expectedFacts: body.expected_facts ?? [],
        mustCall: body.must_call ?? [],
        mustNotCall: body.must_not_call ?? [],
        standIns: body.stand_ins ?? [],
      };
      checkCalls(scenario);
      const answer = { id: scenario.id };
      return database.within(workspaceId).transaction(async (tx) => {
        // Locked, so that two requests together cannot exceed the limit.
        await bots.lock(tx, workspaceId, botId);
        if ((await scenarioStore.count(tx, workspaceId, botId)) >= maxScenarios) {
          throw new AppError('VALIDATION_FAILED', {
            message: `A bot can have at most ${maxScenarios} scenarios.`,
            details: [{ most: maxScenarios }],
          });
        }
        await scenarioStore.insert(tx, workspaceId, scenario);
        const after = auditedFields(scenario);
        await recordChange(tx, workspaceId, { action: 'scenario.created', object: scenario, after });
        await record(tx, answer);
        return answer;
      });
    },

    async update(
      workspaceId: string,
      { botId, scenarioId }: { botId: string; scenarioId: string },
      body: ScenarioUpdate,
    ): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const row = await scenarioStore.lock(tx, workspaceId, botId, scenarioId);
        if (!row) throw notFound();
        const change = changeOf(body);
        checkCalls({ ...row, ...change });
        await scenarioStore.update(tx, workspaceId, row, change);
        await recordChange(tx, workspaceId, {
          action: 'scenario.updated',
          object: row,
          before: auditedFields(row),
          after: auditedFields({ ...row, ...change }),
        });
      });
    },

    /** Its results in earlier evaluations stay. */
    async delete(workspaceId: string, { botId, scenarioId }: { botId: string; scenarioId: string }) {
      await database.within(workspaceId).transaction(async (tx) => {
        const row = await scenarioStore.lock(tx, workspaceId, botId, scenarioId);
        if (!row) throw notFound();
        await scenarioStore.delete(tx, workspaceId, botId, scenarioId);
        await recordChange(tx, workspaceId, { action: 'scenario.deleted', object: row });
      });
    },
  };
}

/** Turns and stand-ins may be what an end user wrote, so only their number is recorded. */
function auditedFields(scenario: Omit<CaseContent, 'expectedFacts'>): object {
  return {
    bot_id: scenario.botId,
    name: scenario.name,
    turns: scenario.turns.length,
    must_call: scenario.mustCall,
    must_not_call: scenario.mustNotCall,
    stand_ins: scenario.standIns.length,
  };
}

function changeOf(body: ScenarioUpdate): ScenarioChange {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.turns !== undefined && { turns: body.turns }),
    ...(body.expected_facts !== undefined && { expectedFacts: body.expected_facts }),
    ...(body.must_call !== undefined && { mustCall: body.must_call }),
    ...(body.must_not_call !== undefined && { mustNotCall: body.must_not_call }),
    ...(body.stand_ins !== undefined && { standIns: body.stand_ins }),
  };
}

function checkCalls({ mustCall, mustNotCall }: Pick<ScenarioRow, 'mustCall' | 'mustNotCall'>): void {
  const both = mustCall.find((name) => mustNotCall.includes(name));
  if (both !== undefined) throw invalid('must_not_call', `contains ${both}, which must_call contains too`);
}

/** The content of a scenario, as a case stores it. */
export function contentOf(row: ScenarioRow): CaseScenario {
  return {
    name: row.name,
    turns: row.turns,
    expected_facts: row.expectedFacts,
    must_call: row.mustCall,
    must_not_call: row.mustNotCall,
    stand_ins: row.standIns,
  };
}

function toWire(row: ScenarioRow): Scenario {
  return {
    id: row.id,
    bot_id: row.botId,
    ...contentOf(row),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
