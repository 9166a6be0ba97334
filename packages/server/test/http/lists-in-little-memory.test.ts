import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { readSlowly } from './slow-reader.ts';

const key = `svc_sk_${'L'.repeat(43)}`;
const million = 1_000_000;

let stored: TestDatabase;
let service: ServiceProcess;
beforeAll(async () => {
  stored = await createTestDatabase();
  service = await startServiceProcess({
    ...stored.environment,
    SVC_BOOTSTRAP_KEY: key,
    SVC_LOG_LEVEL: 'warn',
    // Smaller than the list, but enough for everything else.
    NODE_OPTIONS: '--max-old-space-size=96',
  });
  await service.ready();
});
afterAll(async () => {
  await service.end('SIGKILL');
  await stored.drop();
});

/** Creates many bots with large prompts; they are repetitive, so they are stored compressed. */
async function makeBots(): Promise<string> {
  const { rows } = await stored.database.acrossWorkspaces.raw(
    `with made as (
      insert into bots (id, workspace_id, name, system_prompt, prompt_builder)
        select gen_random_uuid(), workspaces.id, 'Bot ' || n, repeat('Be kind. ', 12000),
          case when n % 100 = 0 then json_build_object('role', repeat('r', 300000)) end
        from generate_series(1, 500) as n, workspaces returning id)
    select id from made limit 1`,
  );
  return (rows[0] as { id: string }).id;
}

it('is written within a heap much smaller than it is, however slowly it is read', {
  timeout: 300_000,
}, async () => {
  const botId = await makeBots();
  const other = async () => (await service.call(key)(`GET /api/v1/bots/${botId}`)).status;
  // One reader stops while the other continues, and other requests are still answered.
  const still = await readSlowly(`${service.url}/api/v1/bots`, key);
  await still.take(million);
  const going = await readSlowly(`${service.url}/api/v1/bots`, key);
  do expect(await other(), service.output()).toBe(200);
  while (await going.take(10 * million));
  expect(going.isComplete(), service.output()).toBe(true);
  expect(going.taken()).toBeGreaterThan(52 * million);
  await still.take(million);
  still.close();
  expect(await other()).toBe(200);
});
