import { expect, it } from 'vitest';
import { until } from '../support/faults/until.ts';
import { chunks, createCollector, useBuses } from './use-buses.ts';

const use = useBuses();

it('carries messages between two processes', async () => {
  const { url } = await use.server();
  const [here, there] = [use.bus(url), use.bus(url)];
  await until('both are connected', () => here.reach !== undefined && there.reach !== undefined);
  expect(here.reach).toBe(there.reach);
  const collector = createCollector();
  await there.subscribe(chunks, 'a', collector).ready;
  here.publish(chunks, 'a', { text: 'one' });
  await until('it arrives', () => collector.received.length > 0);
  expect(collector.received).toEqual(['one']);
});
