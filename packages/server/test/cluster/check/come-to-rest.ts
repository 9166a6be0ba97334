import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from '../history.ts';
import type { Client } from '../load/client.ts';
import type { Load } from '../load/start-load.ts';
import type { Stage } from '../stage/stage.ts';

/** This only ends a cluster that hangs: it usually takes a few seconds. */
const limitMs = 300_000;

/** Lets the load finish and waits until nothing is open. What is still open after the limit is found by the checks. */
export async function comeToRest(stage: Stage, history: History, client: Client, load: Load): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  const hasTime = () => performance.now() < giveUpAt;
  /** The conversations whose followers lack something, or show what is over. */
  let behind: string[] = [];
  await waitFor('all nodes are ready', async () => stage.nodes.every((node) => node.isHealthy()));
  let areIdle = false;
  const finishing = load.finish().finally(() => {
    areIdle = true;
  });
  await waitFor('the clients have finished', async () => areIdle);
  await waitFor('nothing is open', async () => (await countOpen(stage)) === 0);
  await waitFor('the followers have caught up', haveCaughtUp);
  await waitFor(
    'only running nodes are known',
    async () => (await count(stage, 'select count(*) from nodes')) === stage.nodes.length * stage.processes,
  );
  await waitFor('streams of revoked keys have ended', async () =>
    history.acknowledged.every((entry) => entry.kind !== 'revocation' || entry.hasStreamEnded()),
  );
  client.giveUp();
  await load.stop();
  await load.followers.stop();
  await finishing;

  async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
    let problem = '';
    const isSo = () =>
      holds().catch((error: unknown) => {
        problem = String(error);
        return false;
      });
    while (!(await isSo())) {
      if (!hasTime()) {
        return history.find({ what: `it did not happen in time: ${what}`, ids: behind, detail: problem });
      }
      await sleep(200);
    }
    history.announce(`at rest: ${what}`);
  }

  async function haveCaughtUp(): Promise<boolean> {
    const rows = await stage.postgres.query<{ id: string; last_sequence: string }>(
      'select id, last_sequence from conversations',
    );
    const ends = new Map(rows.map(({ id, last_sequence: last }) => [id, Number(last)]));
    behind = history.followers
      .filter(
        ({ conversationId, view }) => view.lastId() !== ends.get(conversationId) || view.previews.size > 0,
      )
      .map(({ conversationId }) => conversationId);
    return behind.length === 0;
  }
}

/** Turns, runs, conversations and money that are not at rest. */
export function countOpen(stage: Pick<Stage, 'postgres'>): Promise<number> {
  return count(
    stage,
    `select (select count(*) from turns where status in ('running', 'paused'))
      + (select count(*) from runs where status in ('running', 'paused'))
      + (select count(*) from conversations where status <> 'idle')
      + (select count(*) from billing_reservations) as count`,
  );
}

async function count({ postgres }: Pick<Stage, 'postgres'>, query: string): Promise<number> {
  const rows = await postgres.query<{ count: string }>(query);
  return Number(rows[0]?.count);
}
