import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createRevocableCache } from '../../src/lib/revocable-cache.ts';
import { createKeyLookup } from '../../src/widgets/key-lookup.ts';
import type { FoundWidgetKey } from '../../src/widgets/widgets.store.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createWidget } from './use-widget.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

it('queries once for all streams of a key that has changed, and again after the next change', async () => {
  const { api_key: apiKey, id } = await createWidget(service);
  let queries = 0;
  const database = new Proxy(service.database, {
    get(target, name, receiver) {
      if (name === 'acrossWorkspaces') queries += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const cache = createRevocableCache<FoundWidgetKey>(100);
  cache.setTrusted(true);
  const lookup = createKeyLookup({ database, cache, clock: systemClock, log: pino({ level: 'silent' }) });
  const lookUp = () => Array.from({ length: 100 }, () => lookup.byKey(apiKey));
  const before = lookUp();
  cache.forget(id);
  const found = await Promise.all([...before, ...lookUp()]);
  expect(new Set(found.map((each) => each?.key.id))).toEqual(new Set([id]));
  expect(queries).toBe(2);
});
