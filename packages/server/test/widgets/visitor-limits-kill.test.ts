import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findRunningPostmaster } from '../../src/database/embedded/postmaster.ts';
import { isProcessRunning } from '../../src/lib/is-process-running.ts';
import { key as accountKey, createFleet } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createWidget, openPage } from './use-widget.ts';

const fleet = createFleet();
afterAll(() => fleet.end());

/** Kills the service and its PostgreSQL, as a power failure would. */
async function killEverything(service: ServiceProcess): Promise<void> {
  const postmaster = await findRunningPostmaster(join(await fleet.dataDirectory(), 'postgres'));
  if (postmaster === undefined) throw new Error('No server runs.');
  await service.end('SIGKILL');
  process.kill(postmaster, 'SIGKILL');
  await until('PostgreSQL is gone', () => !isProcessRunning(postmaster));
}

it('counts messages of before a crash of everything', async () => {
  const environment = { SVC_DEFAULT_MODEL: 'builtin/extractive' };
  const first = await fleet.start(environment);
  const place = { url: first.url, call: first.call(accountKey) };
  const key = await createWidget(place, { key: { rate_limit_per_hour: 3 } });
  const page = openPage(place, key.api_key);
  const { token } = await page.issueToken();
  await page.say(token);
  await page.say(token);
  await killEverything(first);

  const second = await fleet.start(environment);
  const again = openPage({ url: second.url, call: second.call(accountKey) }, key.api_key);
  await again.say(token);
  const refused = await again.call('POST /api/widget/messages', { token, body: { message: 'One more' } });
  expect(refused).toMatchObject({
    status: 429,
    body: { details: [{ limit: 'rate_limit_per_hour', value: 3 }] },
  });
});
