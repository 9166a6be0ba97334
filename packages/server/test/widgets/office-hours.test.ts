import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createAsk, createBot } from './ask-page.ts';
import { createWidgetKey } from './use-widget.ts';

/** A Thursday. */
let now = new Date('2026-11-19T08:59:00.000Z');
let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ clock: { now: () => now } });
});
afterAll(() => service.stop());

const customization = '/api/v1/widgets/customization';
const hours = {
  time_zone: 'Europe/Berlin',
  opening_times: [{ day: 'thursday', opens: '10:00', closes: '24:00' }],
  closed_text: 'We are here on Thursdays.',
};

async function makePage() {
  const botId = await createBot(service.call);
  const key = await createWidgetKey(service, botId);
  const ask = createAsk(service, key.api_key);
  return {
    botId,
    customize: (fields: object) =>
      service.call(`PUT ${customization}`, { body: { bot_id: botId, ...fields } }),
    read: async () => (await service.call(`GET ${customization}?bot_id=${botId}`)).body,
    look: async () => {
      const { body, headers } = await ask('GET /api/widget/look');
      return { asks: body.asks_details, text: body.closed_text, etag: headers.get('etag') };
    },
  };
}

it('are what visitors read outside of them, and when they are asked', async () => {
  const { customize, look, read } = await makePage();
  expect(await customize({ office_hours: hours, ask_details: 'outside_hours' })).toMatchObject({
    status: 200,
    body: { office_hours: hours, ask_details: 'outside_hours' },
  });
  now = new Date('2026-11-19T08:59:00.000Z');
  const closed = await look();
  expect(closed).toMatchObject({ asks: true, text: 'We are here on Thursdays.' });
  now = new Date('2026-11-19T09:00:00.000Z');
  const open = await look();
  expect(open).toMatchObject({ asks: false, text: null });
  // Pages that have the look ask whether it is still the same.
  expect(open.etag).not.toBe(closed.etag);
  now = new Date('2026-11-19T22:59:00.000Z');
  expect(await look()).toMatchObject({ asks: false, text: null });
  now = new Date('2026-11-19T23:00:00.000Z');
  expect(await look()).toMatchObject({ asks: true });
  await customize({ ask_details: 'before_chat' });
  now = new Date('2026-11-19T12:00:00.000Z');
  expect(await look()).toMatchObject({ asks: true, text: null });
  await customize({ ask_details: 'never' });
  expect(await look()).toMatchObject({ asks: false });
  // What was read can be sent back, and null removes them.
  const saved = await read();
  expect((await customize(saved)).body).toMatchObject({ office_hours: hours });
  await customize({ office_hours: null });
  now = new Date('2026-11-20T12:00:00.000Z');
  expect(await look()).toMatchObject({ text: null });
});

const time = { day: 'monday', opens: '09:00', closes: '17:00' };

it.each([
  [{ time_zone: 'Mars/Olympus' }, 'office_hours.time_zone'],
  [{ time_zone: '+02:00' }, 'office_hours.time_zone'],
  [{ time_zone: `Europe/${'x'.repeat(64)}` }, 'office_hours.time_zone'],
  [{ opening_times: [time, { ...time, closes: '09:00' }] }, 'office_hours.opening_times.1.closes'],
  [{ opening_times: [{ ...time, opens: '22:00', closes: '02:00' }] }, 'office_hours.opening_times.0.closes'],
  [{ opening_times: [{ ...time, opens: '24:00' }] }, 'office_hours.opening_times.0.opens'],
  [{ opening_times: [{ ...time, opens: '9:00' }] }, 'office_hours.opening_times.0.opens'],
  [{ opening_times: [{ ...time, closes: '24:01' }] }, 'office_hours.opening_times.0.closes'],
  [{ opening_times: [{ ...time, day: 'someday' }] }, 'office_hours.opening_times.0.day'],
  [{ opening_times: Array.from({ length: 29 }, () => time) }, 'office_hours.opening_times'],
  [{ closed_text: ' ' }, 'office_hours.closed_text'],
  [{ closed_text: 'x'.repeat(301) }, 'office_hours.closed_text'],
  [{ holidays: [] }, 'office_hours.holidays'],
])('refuse %j, naming the field', async (wrong, path) => {
  const { customize, read } = await makePage();
  const answer = await customize({ office_hours: { ...hours, ...wrong } });
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
  expect((await read()).office_hours).toBeNull();
});

it('are refused with everything else that is wrong with the look', async () => {
  const { customize } = await makePage();
  const found = async (body: object) => {
    const answer = await customize(body);
    expect(answer.status).toBe(400);
    return answer.body.details;
  };
  const opening_times = [time, { ...time, opens: '17:30' }];
  expect(
    await found({
      avatar_url: 'http://example.com/a.png',
      office_hours: { ...hours, opening_times, closed_text: '' },
    }),
  ).toEqual(
    expect.arrayContaining([
      { path: 'avatar_url', message: 'must be an https:// address' },
      { path: 'office_hours.opening_times.1.closes', message: 'must be later than 17:30' },
      { path: 'office_hours.closed_text', message: 'must not be empty' },
    ]),
  );
  expect(
    await found({
      avatar_url: 'https://127.0.0.1/a.png',
      office_hours: { ...hours, time_zone: 'Mars/Olympus' },
    }),
  ).toMatchObject([{ path: 'avatar_url' }, { path: 'office_hours.time_zone' }]);
});

it('belong to a workspace, and are recorded in its audit log', async () => {
  const { botId, customize } = await makePage();
  await customize({ office_hours: hours });
  const { key } = await service.makeWorkspace();
  const body = { bot_id: botId, office_hours: null };
  expect((await service.call(`PUT ${customization}`, { key, body })).status).toBe(404);
  const { body: audit } = await service.call('GET /api/v1/audit?action=widget.updated');
  expect(audit[0].changes.map(({ field }: { field: string }) => field)).toContain('office_hours');
});
