import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { migrate } from '../../src/database/migrate.ts';
import { createTestDatabase } from '../support/test-database.ts';

it('the first version of an existing bot is its configuration at the migration', async () => {
  const { database, drop } = await createTestDatabase({ migrated: false });
  try {
    const folder = join(import.meta.dirname, '../../src/database/migrations');
    const earlier = globSync('*.sql', { cwd: folder }).filter((name) => name < '0011');
    const run = (text: string) => database.acrossWorkspaces.raw(text);
    await run('create table schema_migrations (name text primary key, applied_at timestamptz default now())');
    for (const name of earlier.toSorted()) {
      await run(readFileSync(join(folder, name), 'utf8'));
      await run(`insert into schema_migrations (name) values ('${name}')`);
    }
    const [workspace, bot, bare] = [randomUUID(), randomUUID(), randomUUID()];
    await run(`insert into workspaces (id, name) values ('${workspace}', 'x')`);
    await run(`insert into bots (id, workspace_id, name, system_prompt, prompt_builder, settings, agent_goal) values
      ('${bot}', '${workspace}', 'Old', 'Be old.', '{"tone":"dry","role":"x"}', '{"model":"openai/a"}', 'Rest.'),
      ('${bare}', '${workspace}', 'Bare', 'x', null, '{}', null)`);
    await run(`insert into tool_assignments (id, workspace_id, bot_id, position, tool_type, tool_instructions) values
      ('${randomUUID()}', '${workspace}', '${bot}', 1, 'handoff', ''),
      ('${randomUUID()}', '${workspace}', '${bot}', 0, 'calculator', 'Round.')`);

    await migrate(database);
    const { rows } = await run("select * from bot_versions order by configuration ->> 'name'");
    const entry = {
      tool_configuration_id: null,
      speak_during_execution: false,
      speak_after_execution: false,
      tool_error_handling_mode: 'passthrough',
    };
    expect(rows).toMatchObject([
      { bot_id: bare, number: 1, configuration: { name: 'Bare', tools: [] } },
      {
        bot_id: bot,
        number: 1,
        created_by: null,
        changes: [],
        configuration: {
          name: 'Old',
          description: '',
          system_prompt: 'Be old.',
          prompt_builder: { tone: 'dry', role: 'x' },
          settings: { model: 'openai/a' },
          bot_type: 'chatbot',
          schedule: null,
          agent_goal: 'Rest.',
          output_config: null,
          max_iterations: 25,
          timeout_seconds: null,
          tools: [
            { ...entry, tool_type: 'calculator', tool_instructions: 'Round.' },
            { ...entry, tool_type: 'handoff', tool_instructions: '' },
          ],
        },
      },
    ]);
  } finally {
    await drop();
  }
});
