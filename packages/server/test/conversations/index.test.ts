import pg from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/test-database.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

it("finds a user's latest chat by an index on the user, even before PostgreSQL has statistics", async () => {
  const store = await createTestDatabase();
  const client = new pg.Client(store.connection);
  try {
    await client.connect();
    const { rows } = await client.query<{ source: string }>(
      `select prosrc as source from pg_proc where proname = 'latest_chat'`,
    );
    const [, query = ''] = /return query\s(.*);/s.exec(rows[0]?.source ?? '') ?? [];
    const asked = query
      .replaceAll('of_workspace', `'${nobody}'::uuid`)
      .replaceAll('of_bot', `'${nobody}'::uuid`)
      .replaceAll('of_user', `'somebody'`)
      .replaceAll('of_channel', `'chat'`);
    expect(asked).toContain(`c.external_user_id = 'somebody'`);
    for (const count of [0, 2_000]) {
      // Without its constraints: only their number matters here.
      await client.query(`set session_replication_role = replica`);
      await client.query(
        `insert into conversations (id, workspace_id, bot_id, channel, external_user_id, title, metadata)
          select gen_random_uuid(), $1, $1, 'chat', 'user ' || i, 'x', '{}' from generate_series(1, $2::int) i`,
        [nobody, count],
      );
      const plan = await client.query<{ 'QUERY PLAN': string }>(`explain ${asked}`);
      const steps = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(steps, `of ${count}`).toContain('using conversations_user');
    }
  } finally {
    await client.end();
    await store.drop();
  }
});
