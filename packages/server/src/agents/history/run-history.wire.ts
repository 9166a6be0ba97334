import type { AgentOverview, RunEntry } from '@svc/contract/run-history';
import { type KnownCost, noCost, wireCost } from '../../billing/billing.service.ts';
import { describeSchedule, findSchedule } from '../../bots/bots.service.ts';
import type { BriefBot } from '../../bots/brief/bot-brief.service.ts';
import type { HistoryCursor, ListedRun, StartedRun } from '../../runs/runs.service.ts';
import { toWebhook } from '../../runs/runs.service.ts';
import type { SlotRow } from '../schedules/schedules.store.ts';
import { slotToWire } from '../schedules/schedules.wire.ts';

/** An entry of the history, and the cursor that continues after it. */
export interface PlacedEntry extends HistoryCursor {
  entry: Omit<RunEntry, 'bot_name'>;
}

export function runEntry(run: ListedRun, cost: KnownCost | undefined): PlacedEntry {
  return {
    at: run.startedAt,
    key: run.turnId,
    entry: {
      kind: 'run',
      id: run.turnId,
      bot_id: run.botId,
      status: run.status,
      trigger: run.trigger,
      conversation_id: run.conversationId,
      at: run.startedAt.toISOString(),
      ended_at: run.endedAt?.toISOString() ?? null,
      deadline_at: run.deadlineAt.toISOString(),
      iterations: run.iterations,
      max_iterations: run.maxIterations,
      payload: run.payload,
      reason: run.error?.message ?? null,
      ...wireCost(cost ?? noCost),
      webhook: toWebhook(run) ?? null,
    },
  };
}

export function slotEntry(slot: SlotRow): PlacedEntry {
  const at = slot.slotAt.toISOString();
  return {
    at: slot.slotAt,
    key: `slot:${slot.botId}`,
    entry: {
      kind: 'slot',
      id: `slot:${slot.botId}:${at}`,
      bot_id: slot.botId,
      status: slot.outcome === 'failed' ? 'failed' : 'skipped',
      trigger: 'schedule',
      conversation_id: slot.conversationId,
      at,
      ended_at: null,
      deadline_at: null,
      iterations: 0,
      max_iterations: 0,
      payload: null,
      reason: slot.reason,
      cost_usd: null,
      unpriced_models: [],
      webhook: null,
    },
  };
}

export async function toOverview(
  bot: BriefBot,
  { open, slots, runs }: { open: ListedRun | undefined; slots: SlotRow[]; runs: StartedRun[] },
): Promise<AgentOverview> {
  const schedule = bot.schedule === null ? undefined : findSchedule(bot.schedule);
  return {
    bot_id: bot.id,
    name: bot.name,
    status: bot.status,
    has_goal: bot.hasGoal,
    schedule: bot.schedule,
    description: schedule ? await describeSchedule(schedule) : null,
    time_zone: schedule?.zone.name ?? null,
    next_run_at: bot.nextRunAt?.toISOString() ?? null,
    last_run_at: bot.lastRunAt?.toISOString() ?? null,
    open_run: open
      ? {
          id: open.turnId,
          conversation_id: open.conversationId,
          status: open.status,
          started_at: open.startedAt.toISOString(),
          iterations: open.iterations,
          max_iterations: open.maxIterations,
        }
      : null,
    recent: slots.map((slot) => ({ ...slotToWire(slot), run_status: statusOf(slot, runs) })),
  };
}

/** A slot is recorded at the moment at which its run starts; an agent that continues one conversation has many runs in it. */
function statusOf(slot: SlotRow, runs: StartedRun[]): StartedRun['status'] | null {
  const run = runs.find(
    ({ conversationId, startedAt }) =>
      conversationId === slot.conversationId && startedAt.getTime() === slot.notedAt.getTime(),
  );
  return run?.status ?? null;
}
