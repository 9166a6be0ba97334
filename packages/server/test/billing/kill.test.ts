import { expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { hang, open } from '../scripted-model/script.ts';
import { startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { accountOf } from './money.ts';

/** An output token costs a cent. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 10, output: 10_000 } });
const documentation = 'There is no API in here.';
const json = { accept: 'application/json' };

it('kill -9 in the middle of a draft leaves nothing reserved', async () => {
  const scripted = await startScriptedModel();
  const store = await createTestDatabase();
  const fleet = createFleet();
  const environment = {
    ...store.environment,
    ...scriptedEnvironment(scripted),
    SVC_MODEL_PRICES: prices,
    SVC_PLAN_BALANCE_USD: '100',
  };
  try {
    scripted.respondWith([open, hang]);
    const killed = await fleet.start(environment);
    const left = killed
      .call(key)('POST /api/v1/tools/discover', { body: { documentation }, headers: json })
      .catch(() => undefined);
    await expect.poll(() => scripted.requests.length, { interval: 50 }).toBe(1);
    expect((await accountOf(store.database)).reserved).toBeGreaterThan(5);
    await killed.end('SIGKILL');
    await left;
    await fleet.start(environment);
    // A node counts as dead fifteen seconds after its last heartbeat.
    await expect
      .poll(() => accountOf(store.database), { interval: 200 })
      .toEqual({ settled: 0, reserved: 0 });
    const { rows } = await store.database.acrossWorkspaces.execute(sql`select from billing_reservations`);
    expect(rows).toEqual([]);
  } finally {
    await fleet.end();
    await scripted.close();
    await store.drop();
  }
});
