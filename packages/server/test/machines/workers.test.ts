import { closeCodes } from '@svc/contract/machine-protocol';
import { expect, it } from 'vitest';
import { connectMachine } from '../support/machine-client.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { createTestDatabase } from '../support/test-database.ts';

it('works with several processes behind one port, which end without waiting for daemons', async () => {
  const key = `svc_sk_${'M'.repeat(43)}`;
  const store = await createTestDatabase();
  const service = await startServiceProcess({
    ...store.environment,
    SVC_BOOTSTRAP_KEY: key,
    SVC_PROCESSES: '2',
  });
  await service.ready();
  const call = service.call(key);
  const pair = async () =>
    (await call('POST /api/v1/machines', { body: { name: 'desk' } })).body as { id: string; token: string };

  const machines = await Promise.all([1, 2, 3, 4].map(pair));
  const connected = await Promise.all(machines.map(({ token }) => connectMachine(service.url, token)));
  const listed: { status: string }[] = (await call('GET /api/v1/machines')).body;
  expect(listed.map(({ status }) => status)).toEqual(['online', 'online', 'online', 'online']);

  await Promise.all(machines.slice(0, 2).map(({ id }) => call(`DELETE /api/v1/machines/${id}`)));
  for (const { closed } of connected.slice(0, 2)) expect((await closed).code).toBe(closeCodes.revoked);

  const startedAt = performance.now();
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  for (const { closed } of connected.slice(2)) expect((await closed).code).toBe(1012);
  await store.drop();
});
