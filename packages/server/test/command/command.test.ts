import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  commandFile,
  makeDataDirectory,
  runCommand,
  type ServiceProcess,
  startServiceProcess,
} from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let data: Awaited<ReturnType<typeof makeDataDirectory>>;
let store: TestDatabase;
beforeAll(async () => {
  data = await makeDataDirectory();
  store = await createTestDatabase();
});
afterAll(async () => {
  await data.remove();
  await store.drop();
});

function createCommands(environment: () => Record<string, string>, file?: string) {
  const svc = (...args: string[]) => runCommand(args, environment(), file);
  const json = async (...args: string[]) => {
    const result = await svc(...args, '--json');
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return JSON.parse(result.stdout);
  };
  return { svc, json };
}

it('creates and lists workspaces and keys, starting the database itself', async () => {
  const environment = () => ({ SVC_DATA_DIR: data.path });
  const { svc, json } = createCommands(environment);
  const fromSources = createCommands(environment, commandFile);
  const workspace = await fromSources.json('workspaces', 'create', '--name', 'Acme');
  expect(workspace).toEqual({
    id: expect.any(String),
    name: 'Acme',
    key: expect.stringMatching(/^svc_sk_\w{43}$/),
  });
  const key = await json(
    'keys',
    'create',
    '--name',
    'ci',
    '--abilities',
    'bots:read,bots:write',
    '--workspace',
    workspace.id,
    '--expires',
    '2099-01-31',
  );
  expect(key).toEqual({
    id: expect.any(String),
    name: 'ci',
    key: expect.stringMatching(/^svc_sk_/),
    abilities: ['bots:read', 'bots:write'],
    workspace_id: workspace.id,
    expires_at: '2099-01-31T23:59:59.999Z',
  });
  const listed = await svc('keys', 'list');
  expect(listed.stdout).toContain(key.id);
  expect(listed.stdout).not.toContain(key.key);
  expect((await svc('workspaces', 'list')).stdout).toContain('Acme');
});

it('migrates an empty database before any service uses it, and says why it cannot', async () => {
  const empty = await createTestDatabase({ migrated: false });
  const migrated = () => runCommand(['migrate'], empty.environment);
  expect(await migrated()).toEqual({ code: 0, stdout: 'The database is up to date.\n', stderr: '' });
  expect((await runCommand(['keys', 'list', '--json'], empty.environment)).code).toBe(0);
  expect(await migrated()).toMatchObject({ code: 0 });

  await empty.drop();
  const refused = await migrated();
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/database "test_\w+" does not exist/);
});

describe('without a running service', () => {
  const { svc, json } = createCommands(() => store.environment);

  it('changes a plan: a limit is set, credit adds up', async () => {
    const { id } = await json('workspaces', 'create', '--name', 'Plan');
    await svc('workspaces', 'update', id, '--max-bots', '3', '--add-credit', '10.5');
    expect(await json('workspaces', 'update', id, '--add-credit', '4.5')).toMatchObject({
      max_bots: 3,
      credit_usd: '15',
    });
    expect(await json('workspaces', 'update', id, '--max-bots', 'unlimited')).toMatchObject({
      max_bots: null,
    });
  });

  it('shows the plan, balance and usage of a workspace', async () => {
    const { id } = await json('workspaces', 'create', '--name', 'Shown');
    const shown = {
      id,
      name: 'Shown',
      max_bots: null,
      bots: 0,
      spent_usd: '0',
      reserved_usd: '0',
      usage: [],
    };
    expect(await json('workspaces', 'show', id)).toMatchObject({
      ...shown,
      credit_usd: null,
      balance_usd: null,
    });
    await svc('workspaces', 'update', id, '--add-credit', '4.5');
    expect(await json('workspaces', 'show', id)).toMatchObject({
      ...shown,
      credit_usd: '4.5',
      balance_usd: '4.5',
    });
    const { stdout } = await svc('workspaces', 'show', id);
    expect(stdout).toContain('BALANCE USD   4.5');
    expect(stdout).toContain('Nothing was used.');
    const unknown = await svc('workspaces', 'show', '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90');
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.stderr).not.toContain('    at ');
  });

  it('sets limits, lifts them and restores their defaults', async () => {
    const { id } = await json('workspaces', 'create', '--name', 'Limits');
    const limitsOf = async () =>
      (await json('workspaces', 'list')).find((one: { id: string }) => one.id === id).limits;
    const usual = {
      max_streams: 'default',
      max_lists: 'default',
      max_turns: 'default',
      max_tool_tests: 'default',
      max_drafts: 'default',
      max_calls: 'default',
      max_calls_per_hour: 'default',
      max_calls_per_day: 'default',
      max_stored_bots: 'default',
      rate_limit: 'default',
    };
    expect(await limitsOf()).toEqual(usual);
    const first = ['--max-streams', '5', '--max-lists', '6', '--max-turns', '4', '--max-tool-tests', '3'];
    const others = ['--max-drafts', '2', '--max-stored-bots', 'unlimited', '--rate-limit', '60'];
    const calls = ['--max-calls', '7', '--max-calls-per-hour', '8', '--max-calls-per-day', '9'];
    const changed = await json('workspaces', 'update', id, ...first, ...others, ...calls);
    const limits = {
      max_streams: 5,
      max_lists: 6,
      max_turns: 4,
      max_tool_tests: 3,
      max_drafts: 2,
      max_calls: 7,
      max_calls_per_hour: 8,
      max_calls_per_day: 9,
      max_stored_bots: 'unlimited',
      rate_limit: 60,
    };
    expect(changed).toMatchObject({ limits, max_bots: null });
    const args = ['workspaces', 'update', id, '--max-streams', 'default', '--rate-limit', 'unlimited'];
    expect((await svc(...args)).stdout).toContain('turns in progress: 4');
    expect(await limitsOf()).toEqual({ ...limits, max_streams: 'default', rate_limit: 'unlimited' });
  });

  it.each([
    [['workspaces', 'update', '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90', '--max-turns', 'many'], '"default"'],
    [['workspaces', 'update', '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90', '--rate-limit', '0'], 'at least 1'],
    [
      ['workspaces', 'update', '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90', '--max-turns', '1'],
      'Nothing was found',
    ],
    [['keys', 'create', '--name', 'x', '--abilities', 'fly'], 'There is no ability "fly"'],
    [['keys', 'create', '--name', 'x'], '--abilities'],
    [['keys', 'create', '--name', 'x', '--abilities', 'all', '--expires', '2001-01-01'], 'in the past'],
    [['keys', 'revoke', '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90'], 'Nothing was found'],
    [['keys', 'revoke', 'x'], 'not an id'],
    [['workspaces', 'update', '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90'], 'Nothing to change'],
    [['kyes', 'list'], "unknown command 'kyes'"],
  ])('explains what is wrong with %j', async (args, complaint) => {
    const result = await svc(...args);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain(complaint);
    expect(result.stdout).toBe('');
  });

  it('helps without loading what the database needs', async () => {
    const listFiles = `
      import { registerHooks } from 'node:module';
      registerHooks({
        load(url, context, nextLoad) {
          process.stderr.write(url + '\\n');
          return nextLoad(url, context);
        },
      });`;
    const hook = `--import=data:text/javascript,${encodeURIComponent(listFiles)}`;
    const result = await runCommand(['--help'], { NODE_OPTIONS: hook }, commandFile);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: svc') });
    expect(result.stderr).toContain('/src/command/secret-commands.ts\n');
    expect(result.stderr).not.toMatch(/\/(database|drizzle-orm|pg)\//);
  });

  it.each([[['keys', '--help']], [['keys', 'create', '--help']], [['workspaces', 'update', '--help']]])(
    'helps with %j',
    async (args) => {
      const result = await svc(...args);
      expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: svc') });
    },
  );
});

describe('beside a running service', () => {
  const { json } = createCommands(() => ({ SVC_DATA_DIR: data.path }));
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startServiceProcess({ SVC_DATA_DIR: data.path });
    await service.ready();
  });
  afterAll(async () => {
    expect((await service.end('SIGTERM')).code).toBe(0);
  });

  it('changes a limit that takes effect within seconds', async () => {
    const { id, key } = await json('workspaces', 'create', '--name', 'Limited');
    const call = service.call(key);
    const limitNow = async () => (await call('GET /api/v1/bots')).headers.get('ratelimit-limit');
    expect(await limitNow()).toBe(null);
    await json('workspaces', 'update', id, '--rate-limit', '600');
    await expect.poll(limitNow).toBe('600');
  });

  it('creates a key that works immediately and revokes it immediately', async () => {
    const { id, key } = await json('keys', 'create', '--name', 'x', '--abilities', 'bots:read');
    const call = service.call(key);
    expect((await call('GET /api/v1/bots')).status).toBe(200);
    expect((await call('POST /api/v1/bots', { body: {} })).status).toBe(403);
    expect(await json('keys', 'revoke', id)).toMatchObject({ id, revoked_at: expect.any(String) });
    expect((await call('GET /api/v1/bots')).status).toBe(401);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });
});
