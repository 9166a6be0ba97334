import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { migrate } from '../../src/database/migrate.ts';
import { text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';

let scripted: ScriptedModel;
let service: TestApp;
let workspace: { id: string; key: string };
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  const prices = JSON.stringify({ 'openai/gpt-4*': { input: 10, output: 100 } });
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_MODEL_PRICES: prices },
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(async () => {
  scripted.reset();
  workspace = await service.makeWorkspace();
});

const read = (query = '', key = workspace.key) => service.call(`GET /api/v1/usage${query}`, { key });

async function makeBot(fields: object = {}): Promise<string> {
  const body = { name: 'Bot', system_prompt: 'x', ...fields };
  return (await service.call('POST /api/v1/bots', { key: workspace.key, body })).body.id;
}

interface Used {
  at: string;
  model?: string;
  bot?: string;
  user?: string;
  turn?: string;
  input?: number;
  output?: number;
  cost?: string | null;
}

async function used(...records: Used[]): Promise<void> {
  for (const { at, model = 'openai/gpt-4o', bot = null, user = null, turn = null, ...one } of records) {
    const { input = 100, output = 10, cost = '0.002' } = one;
    await service.database.acrossWorkspaces.execute(sql`
      insert into usage_records (id, workspace_id, turn_id, bot_id, external_user_id, model, input_tokens,
        cached_input_tokens, output_tokens, cost_usd, created_at)
      values (${randomUUID()}, ${workspace.id}, ${turn}, ${bot}, ${user}, ${model}, ${input}, 0, ${output}, ${cost}, ${at})`);
  }
}

describe('what was used', () => {
  it('is summed by the purpose of a turn, and has no keys where it belongs to no conversation', async () => {
    scripted.respondWith([text('Yes.'), usage(1_000, 100)]);
    const [one, other] = [await makeBot(), await makeBot()];
    const { key } = workspace;
    await chat.say({ bot_id: one, external_user_id: 'ann' }, { key });
    await chat.say({ bot_id: one, external_user_id: 'bob' }, { key });
    await chat.say({ bot_id: other, external_user_id: 'ann' }, { key });
    scripted.respondWith([text('{"tools":[],"notes":["None."]}'), usage(500, 50)]);
    const headers = { accept: 'application/json' };
    await service.call('POST /api/v1/tools/discover', { key, body: { documentation: 'x' }, headers });

    expect((await read()).body).toEqual({
      balance_usd: null,
      usd_per_day: '0.07',
      days_left: null,
      rows: [
        {
          turns: 3,
          input_tokens: 3_500,
          output_tokens: 350,
          call_seconds: 0,
          cost_usd: '0.07',
          unpriced_models: [],
        },
      ],
    });
    const always = { call_seconds: 0, unpriced_models: [] };
    const sums = { ...always, input_tokens: 1_000, output_tokens: 100, cost_usd: '0.02' };
    const draft = { ...always, turns: 0, input_tokens: 500, output_tokens: 50, cost_usd: '0.01' };
    const { rows } = (await read('?by=bot,external_user_id')).body;
    expect(rows).toHaveLength(4);
    expect(rows).toEqual(
      expect.arrayContaining([
        { bot: one, external_user_id: 'ann', turns: 1, ...sums },
        { bot: one, external_user_id: 'bob', turns: 1, ...sums },
        { bot: other, external_user_id: 'ann', turns: 1, ...sums },
        { bot: null, external_user_id: null, ...draft },
      ]),
    );
    expect((await read('?by=model')).body.rows).toMatchObject([{ model: 'openai/gpt-4o', turns: 3 }]);
    expect((await read('?by=channel')).body.rows).toMatchObject([
      { channel: 'chat', turns: 3 },
      { channel: null, turns: 0 },
    ]);
    expect((await read('?by=day')).body.rows).toMatchObject([
      { day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    ]);
  });

  it('is grouped by UTC day, the last day included, and times are used exactly as given', async () => {
    await used(
      { at: '2026-03-01T23:59:59.999Z' },
      { at: '2026-03-02T00:00:00Z' },
      { at: '2026-03-03T12:00:00Z' },
      { at: '2026-03-03T23:59:59Z' },
      { at: '2026-03-04T00:00:00Z' },
    );
    const days = async (query: string) =>
      (await read(`?by=day&${query}`)).body.rows.map((row: { day: string; input_tokens: number }) => [
        row.day,
        row.input_tokens,
      ]);
    expect(await days('from=2026-03-02&to=2026-03-03')).toEqual([
      ['2026-03-02', 100],
      ['2026-03-03', 200],
    ]);
    expect(await days('from=2026-03-01T23:00:00Z&to=2026-03-02T00:00:00Z')).toEqual([['2026-03-01', 100]]);
    expect(await days('from=2026-03-03T13:00:00%2B01:00&to=2026-03-03T13:00:01%2B01:00')).toEqual([
      ['2026-03-03', 100],
    ]);
  });

  it('covers the last 30 days by default', async () => {
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await used({ at: ago(31) }, { at: ago(29) }, { at: ago(0.001) });
    expect((await read()).body.rows).toMatchObject([{ input_tokens: 200 }]);
  });

  it('sums what is known, and names the models whose price is not', async () => {
    const at = new Date(Date.now() - 60_000).toISOString();
    await used({ at }, { at, model: 'openai/mine', cost: null }, { at, model: 'openai/free', cost: '0' });
    expect((await read()).body.rows).toMatchObject([
      { input_tokens: 300, cost_usd: '0.002', unpriced_models: ['openai/mine'] },
    ]);
    expect((await read('?by=day,bot')).body.rows).toMatchObject([{ unpriced_models: ['openai/mine'] }]);
    expect((await read('?by=model')).body.rows).toMatchObject([
      { model: 'openai/free', cost_usd: '0' },
      { model: 'openai/gpt-4o', cost_usd: '0.002' },
      { model: 'openai/mine', cost_usd: null },
    ]);
  });

  it('is recorded without a cost for a model without a price', async () => {
    scripted.respondWith([text('Yes.'), usage(10, 1)]);
    await chat.say({ bot_id: await makeBot({ model: 'openai/unheard-of' }) }, { key: workspace.key });
    expect((await read('?by=model')).body.rows).toEqual([
      {
        model: 'openai/unheard-of',
        turns: 1,
        input_tokens: 10,
        output_tokens: 1,
        call_seconds: 0,
        cost_usd: null,
        unpriced_models: ['openai/unheard-of'],
      },
    ]);
  });

  it('counts a turn once, however many models it used', async () => {
    const at = new Date(Date.now() - 60_000).toISOString();
    const turn = randomUUID();
    await used({ at, turn }, { at, turn }, { at, turn: randomUUID() });
    expect((await read()).body.rows).toMatchObject([{ turns: 2 }]);
  });

  it('is kept when its conversation is truncated or deleted', async () => {
    scripted.respondWith([text('Yes.'), usage(1_000, 100)]);
    const bot = await makeBot();
    const turn = await chat.say({ bot_id: bot, external_user_id: 'ann' }, { key: workspace.key });
    await service.database.acrossWorkspaces.execute(
      sql`delete from conversations where id = ${turn.conversationId}`,
    );
    expect((await read('?by=bot,external_user_id')).body.rows).toMatchObject([
      { bot, external_user_id: 'ann', turns: 1, cost_usd: '0.02' },
    ]);
  });

  it('is averaged over a week, unless the workspace is younger', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await used({ at: daysAgo(0.5), cost: '7' });
    expect((await read()).body.usd_per_day).toBe('7');
    await used({ at: daysAgo(20), cost: '50' });
    expect((await read()).body.usd_per_day).toBe('1');
  });

  it('is visible to its own workspace only', async () => {
    await used({ at: new Date(Date.now() - 60_000).toISOString() });
    const other = await service.makeWorkspace();
    expect((await read('', other.key)).body).toEqual({
      balance_usd: null,
      usd_per_day: '0',
      days_left: null,
      rows: [],
    });
  });
});

describe('the balance', () => {
  it('is the credit minus the spending', async () => {
    scripted.respondWith([text('Yes.'), usage(1_000, 100)]);
    const bot = await makeBot();
    await chat.say({ bot_id: bot }, { key: workspace.key });
    await service.database.acrossWorkspaces.execute(
      sql`update workspaces set credit_usd = 5 where id = ${workspace.id}`,
    );
    expect((await read()).body.balance_usd).toBe('4.98');
    await chat.say({ bot_id: bot }, { key: workspace.key });
    expect((await read()).body.balance_usd).toBe('4.96');
  });
});

describe('a usage query', () => {
  it.each([
    ['?from=yesterday', 'from'],
    ['?from=2026-02-30', 'from'],
    ['?from=2026-01-01T12:00:00', 'from'],
    ['?to=2026-13-01', 'to'],
    ['?from=2026-02-02&to=2026-02-01', 'from'],
    ['?from=2020-01-01&to=2026-01-01', 'from'],
    ['?by=week', 'by'],
    ['?by=', 'by'],
    ['?by=day,,bot', 'by'],
  ])('%s is refused and names its field', async (query, path) => {
    const answer = await read(query);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', details: [{ path }] } });
  });

  it('for a period without records is answered anyway', async () => {
    for (const query of ['?from=0000-01-01&to=0000-02-01', '?from=9999-01-01&to=9999-12-31']) {
      expect(await read(query)).toMatchObject({ status: 200, body: { rows: [] } });
    }
  });

  it('is refused without the ability, and answered with it', async () => {
    const without = await service.makeKey({ workspaceId: workspace.id, abilities: ['workspace:write'] });
    const answer = await read('', without);
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(answer.body.message).toContain('workspace:read');
    const having = await service.makeKey({ workspaceId: workspace.id, abilities: ['workspace:read'] });
    expect((await read('', having)).status).toBe(200);
  });

  it('with too many rows is refused', async () => {
    await service.database.acrossWorkspaces.execute(sql`
      insert into usage_records (id, workspace_id, external_user_id, model, input_tokens, cached_input_tokens, output_tokens)
      select gen_random_uuid(), ${workspace.id}, 'user ' || number, 'openai/x', 1, 0, 1 from generate_series(1, 10001) as number`);
    const to = new Date(Date.now() + 60_000).toISOString();
    const answer = await read(`?by=external_user_id&to=${to}`);
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'by' }] } });
    expect(answer.body.message).toContain('10,000');
    expect((await read(`?by=model&to=${to}`)).body.rows).toMatchObject([{ input_tokens: 10_001 }]);
  });
});

it('reads only its workspace and period, by an index', async () => {
  await service.database.acrossWorkspaces.execute(sql`
    insert into usage_records (id, workspace_id, model, input_tokens, cached_input_tokens, output_tokens, created_at)
    select gen_random_uuid(), case when number % 100 = 0 then ${workspace.id}::uuid else gen_random_uuid() end, 'openai/x',
      1, 0, 1, now() - number * interval '1 minute' from generate_series(1, 20000) as number`);
  await service.database.acrossWorkspaces.execute(sql`analyze usage_records`);
  const { rows } = await service.database.acrossWorkspaces.execute<{ 'QUERY PLAN': string }>(sql`
    explain select model, count(distinct turn_id), sum(input_tokens) from usage_records
    where workspace_id = ${workspace.id} and created_at >= now() - interval '1 day' and created_at < now() group by 1`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('usage_records_workspace');
  expect(plan).not.toContain('Seq Scan');
});

it('the migration gives older records their bot and user, and no cost where no price was known', async () => {
  const { database, drop } = await createTestDatabase({ migrated: false });
  try {
    const folder = join(import.meta.dirname, '../../src/database/migrations');
    const run = (statement: string) => database.acrossWorkspaces.raw(statement);
    await run('create table schema_migrations (name text primary key, applied_at timestamptz default now())');
    for (const name of globSync('*.sql', { cwd: folder })
      .filter((file) => file < '0015')
      .toSorted()) {
      await run(readFileSync(join(folder, name), 'utf8'));
      await run(`insert into schema_migrations (name) values ('${name}')`);
    }
    const [owner, bot, conversation] = [randomUUID(), randomUUID(), randomUUID()];
    await run(`insert into workspaces (id, name) values ('${owner}', 'x')`);
    await run(
      `insert into bots (id, workspace_id, name, system_prompt) values ('${bot}', '${owner}', 'x', 'x')`,
    );
    await run(`insert into conversations (id, workspace_id, bot_id, channel, external_user_id, title)
      values ('${conversation}', '${owner}', '${bot}', 'chat', 'ann', 'x')`);
    const record = (model: string, place: string, cost: number) =>
      run(`insert into usage_records (id, workspace_id, conversation_id, model, input_tokens, cached_input_tokens, output_tokens, cost_usd)
        values ('${randomUUID()}', '${owner}', ${place}, '${model}', 5, 0, 5, ${cost})`);
    await record('a', `'${conversation}'`, 1);
    await record('b', 'null', 2);
    await record('builtin/c', 'null', 0);
    await record('d', 'null', 0);
    await migrate(database);
    const { rows } = await run(
      'select bot_id, external_user_id, cost_usd::float8 as cost from usage_records order by model',
    );
    expect(rows).toEqual([
      { bot_id: bot, external_user_id: 'ann', cost: 1 },
      { bot_id: null, external_user_id: null, cost: 2 },
      { bot_id: null, external_user_id: null, cost: 0 },
      { bot_id: null, external_user_id: null, cost: null },
    ]);
  } finally {
    await drop();
  }
});
