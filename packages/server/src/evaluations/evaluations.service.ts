import type {
  EvaluationCreate,
  EvaluationDetail,
  EvaluationQuery,
  StartedEvaluation,
} from '@svc/contract/evaluations';
import type { BotRow } from '../bots/bots.service.ts';
import type { BotVersionService } from '../bots/versions/bot-versions.service.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import { AppError, notFound } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import { admitNextTurn } from './admit-case.ts';
import { createEvaluationDriver } from './driver.ts';
import type { EvaluationDependencies } from './evaluation-dependencies.ts';
import { type CaseState, type EvaluationRow, evaluationStore, type NewCase } from './evaluations.store.ts';
import { type SpentByConversation, toWire, toWireDetail } from './evaluations.wire.ts';
import { contentOf, createScenarioService, type ScenarioRow } from './scenarios/scenarios.service.ts';

export type EvaluationService = ReturnType<typeof createEvaluationService>;

const defaultLimit = 50;

/** Runs a bot's scenarios and reports the results. */
export function createEvaluationService(
  dependencies: EvaluationDependencies & { versions: Pick<BotVersionService, 'holdTools'> },
) {
  const { database, bots, versions, conversations, billing, models, turns, log } = dependencies;
  const scenarios = createScenarioService(dependencies);
  const driver = createEvaluationDriver(dependencies);

  return {
    scenarios,

    /**
     * Starts an evaluation and returns once its first turn is stored; the rest runs in the background. Throws when it cannot
     * start, and then stores nothing.
     */
    async start(
      workspaceId: string,
      by: string,
      botId: string,
      body: EvaluationCreate,
      record: RecordAnswer<StartedEvaluation>,
    ): Promise<StartedEvaluation> {
      const { version = (await bots.getRow(workspaceId, botId)).version, scenario_ids: ids } = body ?? {};
      const bot = await bots.getRow(workspaceId, botId, version);
      const chosen = await scenarios.choose(workspaceId, botId, ids);
      checkCanJudge(bot, chosen);
      const evaluation = { id: newId(), botId, version, createdBy: by };
      const answer: StartedEvaluation = { id: evaluation.id, status: 'running' };
      const cases = chosen.map(newCase);
      const begin = await database.within(workspaceId).transaction(async (tx) => {
        await versions.holdTools(tx, workspaceId, botId, version);
        if (!(await evaluationStore.insert(tx, workspaceId, evaluation, cases))) {
          const running = await evaluationStore.findRunning(tx, workspaceId, botId);
          throw new AppError('EVALUATION_IN_PROGRESS', {
            ...(running && { details: [{ evaluation_id: running.id }] }),
          });
        }
        const first = { ...(cases[0] as NewCase), workspaceId, conversationId: null, turnIds: [] };
        const beginFirst = await admitNextTurn(tx, bot, first, dependencies);
        await record(tx, answer);
        return beginFirst;
      });
      begin();
      driver.sweep().catch((error: unknown) => {
        log.warn({ err: error, evaluation_id: answer.id }, 'An evaluation waits for the next sweep.');
      });
      return answer;
    },

    async list(workspaceId: string, botId: string, { limit = defaultLimit, before }: EvaluationQuery) {
      await bots.getRow(workspaceId, botId);
      const page = { before, limit: limit + 1 };
      const rows = await evaluationStore.list(database.within(workspaceId), workspaceId, botId, page);
      const shown = rows.slice(0, limit);
      const ids = shown.map(({ id }) => id);
      const states = await evaluationStore.listStates(database.within(workspaceId), workspaceId, ids);
      const spent = await spentOn(workspaceId, states);
      return {
        evaluations: shown.map((row) =>
          toWire(
            row,
            states.filter((one) => one.evaluationId === row.id),
            spent,
          ),
        ),
        next: rows.length > limit ? shown.at(-1)?.id : undefined,
      };
    },

    async get(workspaceId: string, botId: string, evaluationId: string): Promise<EvaluationDetail> {
      const row = await getRow(workspaceId, botId, evaluationId);
      const cases = await evaluationStore.listCases(database.within(workspaceId), workspaceId, evaluationId);
      const ids = cases.map(({ scenarioId }) => scenarioId);
      return toWireDetail(row, {
        cases,
        spent: await spentOn(workspaceId, cases),
        previous: await evaluationStore.listPrevious(
          database.within(workspaceId),
          workspaceId,
          evaluationId,
          ids,
        ),
        transcripts: await conversations.listTranscripts(workspaceId, conversationIds(cases)),
      });
    },

    /** Keeps decided cases and skips the others. Does nothing to an evaluation that is over. */
    async stop(workspaceId: string, botId: string, evaluationId: string): Promise<StartedEvaluation> {
      await getRow(workspaceId, botId, evaluationId);
      const stopped = { status: 'stopped' as const, error: null };
      await database
        .within(workspaceId)
        .transaction((tx) => evaluationStore.end(tx, workspaceId, evaluationId, stopped));
      // From here on it starts no turn. The last one is stopped even if the evaluation was over: an earlier stop may have crashed here.
      const cases = await evaluationStore.listStates(database.within(workspaceId), workspaceId, [
        evaluationId,
      ]);
      const last = cases.findLast(({ conversationId }) => conversationId !== null)?.conversationId;
      if (last) await turns.stop(workspaceId, last, 'evaluation');
      const { status } = await getRow(workspaceId, botId, evaluationId);
      return { id: evaluationId, status };
    },

    /** Claims evaluations that no node drives. */
    sweep: () => driver.sweep(),

    /** Leaves this node's evaluations to others, when the service stops. */
    release: () => driver.stop(),
  };

  async function getRow(workspaceId: string, botId: string, evaluationId: string): Promise<EvaluationRow> {
    const row = await evaluationStore.find(database.within(workspaceId), workspaceId, botId, evaluationId);
    if (!row) throw notFound();
    return row;
  }

  function spentOn(workspaceId: string, cases: readonly CaseState[]): Promise<SpentByConversation> {
    return billing.usageOfConversations(workspaceId, conversationIds(cases));
  }

  /** The built-in model only quotes passages, so it cannot judge. */
  function checkCanJudge(bot: BotRow, chosen: readonly ScenarioRow[]): void {
    if (chosen.length === 0) {
      throw new AppError('VALIDATION_FAILED', { message: 'The bot has no scenarios: create one first.' });
    }
    const model = models.ofBot(bot.settings);
    const expectsFacts = chosen.some(({ expectedFacts }) => expectedFacts.length > 0);
    if (!expectsFacts || model.capabilities.instructions) return;
    throw new AppError('NO_MODEL_CONFIGURED', {
      message: `${model.id} cannot judge facts: configure a model provider.`,
    });
  }
}

function newCase(row: ScenarioRow, position: number): NewCase {
  return { id: newId(), scenarioId: row.id, position, scenario: contentOf(row) };
}

function conversationIds(cases: readonly CaseState[]): string[] {
  return cases.flatMap(({ conversationId }) => conversationId ?? []);
}
