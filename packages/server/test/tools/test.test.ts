import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let now = new Date('2026-07-01T22:05:09.123Z');
beforeAll(async () => {
  service = await startTestApp({ clock: { now: () => now } });
});
afterAll(() => service.stop());

async function run(toolType: string, parameters?: object, configuration: object = {}) {
  const body = { tool_type: toolType, name: 'Try', description: 'x', configuration };
  const { id } = (await service.call('POST /api/v1/tools', { body })).body;
  const answer = await service.call(`POST /api/v1/tools/${id}/test`, {
    body: parameters ? { parameters } : {},
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('testing a tool', () => {
  it('really runs it and reports how long it took', async () => {
    expect(await run('calculator', { expression: '0.1 + 0.2' })).toEqual({
      success: true,
      execution_time_ms: expect.any(Number),
      result: { value: '0.3', exact: true },
    });
    expect((await run('calculator', { expression: '1 / 3' })).result).toEqual({
      value: '0.33333333333333333333',
      exact: false,
    });
  });

  it.each<[string, object | undefined, string]>([
    ['calculator', { expression: '1 / 0' }, 'Division by zero.'],
    ['calculator', { expression: '1 +' }, 'The expression ends too early.'],
    ['calculator', { expression: 5 }, 'expression must be a string.'],
    ['calculator', { expression: '1', more: 1 }, 'more is not a known field.'],
    ['calculator', { expression: '1+'.repeat(300) }, 'expression must have at most 500 characters.'],
    ['calculator', undefined, 'expression is required.'],
    [
      'current_time',
      { time_zone: 'Mars/Olympus' },
      '"Mars/Olympus" is not an IANA time zone; give one such as Europe/Berlin.',
    ],
    ['handoff', { reason: 'Angry' }, 'There is no conversation here that a person could take over.'],
    ['end_call', {}, 'This conversation is not a phone call.'],
    ['transfer_call', {}, 'This conversation is not a phone call.'],
    ['transfer_call', { number: '+49' }, 'number is not a known field.'],
  ])('of type %s with %j says what is wrong', async (type, parameters, error) => {
    expect(await run(type, parameters)).toMatchObject({ success: false, error, result: { error } });
  });

  it('shows the key that lets a receiver recognise a repeat, a new one for each test', async () => {
    const keys = [];
    for (const method of ['POST', 'POST', 'GET']) {
      const { resolved_request: request } = await run(
        'http_request',
        {},
        { method, url: 'http://10.1.2.3/x' },
      );
      keys.push(request.headers['idempotency-key']);
    }
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.any(String), undefined]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('reports that nothing was found when there is no knowledge', async () => {
    expect(await run('knowledge_search', { query: 'opening hours' }, { limit: 3 })).toMatchObject({
      success: true,
      result: { passages: [] },
    });
  });

  it('is done once per Idempotency-Key', async () => {
    const body = { tool_type: 'current_time', name: 'Now', description: 'x', configuration: {} };
    const { id } = (await service.call('POST /api/v1/tools', { body })).body;
    const headers = { 'idempotency-key': randomUUID() };
    const test = (parameters: object) =>
      service.call(`POST /api/v1/tools/${id}/test`, { body: { parameters }, headers });
    const first = await test({});
    expect(first).toMatchObject({ status: 200, body: { success: true } });
    const before = now;
    now = new Date(now.getTime() + 60_000);
    expect(await test({})).toMatchObject({ status: 200, body: first.body });
    expect((await test({ time_zone: 'UTC' })).body.code).toBe('IDEMPOTENCY_MISMATCH');
    now = before;
  });

  it('answers 404 for an unknown tool and 400 for an invalid body', async () => {
    const path = 'POST /api/v1/tools/0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90/test';
    expect((await service.call(path, { body: {} })).status).toBe(404);
    expect((await service.call(path, { body: { parameters: [] } })).status).toBe(400);
    expect((await service.call(path, { body: { params: {} } })).body.details[0].path).toBe('params');
  });
});

describe('the current time', () => {
  it.each([
    [undefined, '2026-07-01T22:05:09+00:00', 'Wednesday', 'Wednesday, 1 July 2026 at 22:05'],
    ['Europe/Berlin', '2026-07-02T00:05:09+02:00', 'Thursday', 'Thursday, 2 July 2026 at 00:05'],
    ['America/New_York', '2026-07-01T18:05:09-04:00', 'Wednesday', 'Wednesday, 1 July 2026 at 18:05'],
    ['Asia/Kathmandu', '2026-07-02T03:50:09+05:45', 'Thursday', 'Thursday, 2 July 2026 at 03:50'],
  ])('in %s', async (zone, iso, weekday, readable) => {
    const { result } = await run('current_time', zone ? { time_zone: zone } : {});
    expect(result).toEqual({ iso, weekday, readable, time_zone: zone ?? 'UTC' });
    expect(new Date(iso).getTime()).toBe(Math.floor(now.getTime() / 1000) * 1000);
  });

  it('knows daylight saving time', async () => {
    now = new Date('2026-01-01T00:00:00.000Z');
    expect((await run('current_time', { time_zone: 'Europe/Berlin' })).result.iso).toBe(
      '2026-01-01T01:00:00+01:00',
    );
    now = new Date('2026-07-01T22:05:09.123Z');
  });
});
