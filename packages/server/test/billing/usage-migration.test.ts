import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { createTestDatabase } from '../support/test-database.ts';

it('usage from before it was recorded with its message belongs to the reply of the same moment', async () => {
  const { database, drop } = await createTestDatabase({ migrated: false });
  try {
    const folder = join(import.meta.dirname, '../../src/database/migrations');
    const earlier = globSync('*.sql', { cwd: folder }).filter((name) => name < '0050');
    const run = (text: string) => database.acrossWorkspaces.raw(text);
    await run('create table schema_migrations (name text primary key, applied_at timestamptz default now())');
    for (const name of earlier.toSorted()) {
      await run(readFileSync(join(folder, name), 'utf8'));
      await run(`insert into schema_migrations (name) values ('${name}')`);
    }
    const [workspace, bot, conversation, turn] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const [reply, other] = [randomUUID(), randomUUID()];
    const [at, later] = ['2026-01-01 00:00:00.5+00', '2026-01-01 00:00:02+00'];
    await run(`insert into workspaces (id, name) values ('${workspace}', 'x')`);
    await run(
      `insert into bots (id, workspace_id, name, system_prompt) values ('${bot}', '${workspace}', 'B', '')`,
    );
    await run(`insert into conversations (id, workspace_id, bot_id, external_user_id, channel, title) values
      ('${conversation}', '${workspace}', '${bot}', 'u', 'chat', '')`);
    await run(`insert into messages (id, workspace_id, conversation_id, turn_id, sequence, role, content, created_at) values
      ('${reply}', '${workspace}', '${conversation}', '${turn}', 1, 'assistant', 'Hi', '${at}'),
      ('${other}', '${workspace}', '${conversation}', '${turn}', 2, 'assistant', 'Bye', '${later}')`);
    const record = (createdAt: string, model: string) => `insert into usage_records
      (id, workspace_id, conversation_id, turn_id, model, input_tokens, cached_input_tokens, output_tokens, cost_usd, created_at) values
      ('${randomUUID()}', '${workspace}', '${conversation}', '${turn}', '${model}', 1, 0, 1, 0, '${createdAt}')`;
    await run(record(at, 'a'));
    await run(record(later, 'b'));
    await run(record('2026-01-01 00:00:03+00', 'c'));

    await migrate(database);
    const { rows } = await run('select model, message_id, trace_step_id from usage_records order by model');
    expect(rows).toEqual([
      { model: 'a', message_id: reply, trace_step_id: null },
      { model: 'b', message_id: other, trace_step_id: null },
      { model: 'c', message_id: null, trace_step_id: null },
    ]);
  } finally {
    await drop();
  }
});
