import type { Connection } from '../../../src/database/database.ts';
import { connectTo } from './locks.ts';
import { until } from './until.ts';

export interface BlockedCommits {
  /** Blocks the commit that brings a turn of this bot to this many steps. */
  block(botId: string, step: number): Promise<void>;
  /** Waits until every such commit is blocked. */
  allBlocked(): Promise<void>;
  /** Once the process is dead: PostgreSQL commits anyway, or rolls back. */
  settle(botId: string, outcome: 'kept' | 'lost'): Promise<void>;
  end(): Promise<void>;
}

/** Prolongs the moment of a commit, for any step of any turn. */
export async function blockCommits(connection: Connection): Promise<BlockedCommits> {
  const client = await connectTo(connection);
  const keys = new Map<string, number>();
  // Deferred, so that everything is written and nothing is committed yet.
  await client.query(`
    create table if not exists held_commits (bot_id uuid, step integer, key integer);
    truncate held_commits;
    create or replace function hold_commit() returns trigger language plpgsql security definer as $$
    begin
      perform pg_advisory_xact_lock(77, key) from held_commits
        where held_commits.bot_id = new.bot_id and held_commits.step = new.steps;
      return null;
    end $$;
    drop trigger if exists hold_commit on turns;
    create constraint trigger hold_commit after insert or update on turns
      deferrable initially deferred for each row execute function hold_commit()`);
  const waiting = 'select pid, objid::int as key from pg_locks where classid = 77 and not granted';
  const settled = async (key: number) =>
    !(await client.query<{ key: number }>(waiting)).rows.some((row) => row.key === key);
  return {
    async block(botId, step) {
      const key = keys.size + 1;
      keys.set(botId, key);
      await client.query('select pg_advisory_lock(77, $1)', [key]);
      await client.query('insert into held_commits values ($1, $2, $3)', [botId, step, key]);
    },
    allBlocked: () =>
      until('every commit is blocked', async () => (await client.query(waiting)).rowCount === keys.size),
    async settle(botId, outcome) {
      const key = keys.get(botId) ?? 0;
      await client.query('delete from held_commits where bot_id = $1', [botId]);
      if (outcome === 'lost') {
        await client.query(`select pg_terminate_backend(pid) from (${waiting}) as w where key = $1`, [key]);
        await until('it is rolled back', () => settled(key));
      }
      await client.query('select pg_advisory_unlock(77, $1)', [key]);
      await until('it is settled', () => settled(key));
    },
    async end() {
      await client.query('drop trigger if exists hold_commit on turns');
      await client.end();
    },
  };
}
