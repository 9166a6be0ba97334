import { isProcessRunning } from '../../../src/lib/is-process-running.ts';
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
  const known = await postgres.query<{ id: string; process_id: number }>('select id, process_id from nodes');
  for (const { id, process_id: pid } of known) {
    if (isProcessRunning(pid)) continue;
    history.find({ what: `the process ${pid} of a known node is gone`, ids: [id, String(pid)] });
  }
  await expectNone(
    'jobs held by nodes that are gone',
    'select job_id::text as id from job_holders where node_id not in (select id from nodes)',
  );
  await expectNone(
    'slots of a schedule without exactly one run',
    `select bot_id || ' ' || slot_at as id from schedule_slots s where outcome = 'fired' and 1 <> (
       select count(*) from runs r where r.conversation_id = s.conversation_id and r.trigger = 'schedule')`,
  );
  await expectNone(
    'scheduled runs without a slot',
    `select turn_id::text as id from runs where trigger = 'schedule' and conversation_id not in (
       select conversation_id from schedule_slots where outcome = 'fired')`,
  );
  await expectNone(
    'keys that were created twice',
    'select name as id from account_keys group by name having count(*) > 1',
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
