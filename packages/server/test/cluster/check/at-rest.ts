import type { History } from '../history.ts';
import type { Stage } from '../stage/stage.ts';
import type { Stored } from './stored.ts';

/** Nothing is left open: turns, conversations, money, jobs. */
export async function checkAtRest(stage: Stage, stored: Stored, history: History): Promise<void> {
  const { postgres } = stage;
  for (const {
    id,
    conversation_id: conversationId,
    status,
    reserved_usd: reserved,
  } of stored.turns.values()) {
    if (status === 'running' || status === 'paused') {
      history.find({ what: `a turn is still ${status}`, ids: [id, conversationId] });
    }
    if (Number(reserved) !== 0) {
      history.find({ what: `a turn has ${reserved} USD reserved`, ids: [id, conversationId] });
    }
  }
  for (const { id, status } of stored.conversations.values()) {
    if (status !== 'idle') history.find({ what: `a conversation is still ${status}`, ids: [id] });
  }
  for (const approval of stored.approvals.values()) {
    if (approval.status === 'pending') {
      history.find({ what: 'an approval is still pending', ids: [approval.id, approval.turn_id] });
    }
  }
  for (const { turn_id: id, conversation_id: conversationId, status } of stored.runs) {
    if (['running', 'paused'].includes(status)) {
      history.find({ what: `a run is still ${status}`, ids: [id, conversationId] });
    }
  }
  await expectNone(
    'node rows of processes that are gone',
    'select id::text from nodes where process_id <> all($1)',
    [stage.nodes.map((node) => node.pid() ?? 0)],
  );
  await expectNone(
    'jobs held by nodes that are gone',
    'select job_id::text as id from job_holders where node_id not in (select id from nodes)',
  );
  await expectNone('money reserved outside turns', 'select id::text from billing_reservations');
  await expectNone(
    'accounts that do not match their usage',
    `select workspace_id || ' settled ' || settled_usd || ' reserved ' || reserved_usd || ' used ' || used as id
     from billing_accounts b, lateral (
       select coalesce(sum(cost_usd), 0) as used from usage_records u where u.workspace_id = b.workspace_id
     ) as usage
     where reserved_usd <> 0 or settled_usd <> used`,
  );

  async function expectNone(what: string, query: string, values: unknown[] = []): Promise<void> {
    const rows = await postgres.query<{ id: string }>(query, values);
    if (rows.length > 0) history.find({ what, ids: rows.map(({ id }) => id) });
  }
}

/** One run at a time per agent, and each slot of a schedule fired once. */
export function checkRuns({ runs }: Stored, history: History): void {
  const byAgent = new Map<string, Stored['runs']>();
  for (const run of runs) byAgent.set(run.bot_id, [...(byAgent.get(run.bot_id) ?? []), run]);
  for (const [agentId, ofAgent] of byAgent) {
    for (const [index, run] of ofAgent.entries()) {
      const next = ofAgent[index + 1];
      if (!next || (run.ended_at !== null && run.ended_at <= next.started_at)) continue;
      history.find({
        what: 'two runs of one agent overlapped',
        ids: [agentId, run.turn_id, next.turn_id],
        detail: `${run.ended_at?.toISOString()} is after ${next.started_at.toISOString()}`,
      });
    }
    const minutes = ofAgent.filter(({ trigger }) => trigger === 'schedule').map(minuteOf);
    if (new Set(minutes).size !== minutes.length) {
      history.find({ what: 'a slot of a schedule fired twice', ids: [agentId] });
    }
  }
}

function minuteOf({ started_at: startedAt }: { started_at: Date }): number {
  return Math.floor(startedAt.getTime() / 60_000);
}
