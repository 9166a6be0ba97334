import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBotService } from '../../src/bots/bots.service.ts';
import { recordNothing } from '../../src/idempotency/idempotency.service.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { systemClock } from '../../src/lib/clock.ts';
import {
  createVoiceNumberService,
  type VoiceNumberService,
} from '../../src/voice/numbers/phone-numbers.service.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let workspaceId: string;
let botId: string;
/** What the network says of every number. */
let answer: () => Promise<boolean | 'not_ours' | undefined>;
let asked: string[];
let numbers: VoiceNumberService;

beforeAll(async () => {
  service = await startTestApp();
  const { database } = service;
  const workspaces = createWorkspaceService({ database });
  workspaceId = (await workspaces.list())[0]?.id ?? '';
  const voices = { check: async () => undefined };
  const bots = createBotService({
    database,
    workspaces,
    models: { faultOf: () => undefined },
    voices,
    webhooks: { refusalOf: () => undefined },
    requireMachines: async () => undefined,
    planDefaultTools: async () => ({ tools: [], assignTo: async () => undefined }),
    clock: systemClock,
  });
  numbers = createVoiceNumberService({
    database,
    workspaces,
    bots,
    voices,
    transport: {
      canCallFrom(phone) {
        asked.push(phone);
        return answer();
      },
    },
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  answer = async () => true;
  asked = [];
  botId = await makeBot();
});

async function makeBot(): Promise<string> {
  return (await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } })).body.id;
}

const newPhone = () => `+${randomInt(1e11, 1e12)}`;

async function makeNumber(fields: { bot_id?: string; outbound_capable?: boolean } = {}): Promise<string> {
  const body = { phone_number: newPhone(), bot_id: botId, ...fields };
  return (await numbers.create(workspaceId, body, recordNothing)).id;
}

const makePrimary = (id: string) => numbers.update(workspaceId, id, { is_outbound_primary: true });
const isPrimary = async (id: string) => (await numbers.get(workspaceId, id)).is_outbound_primary;
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

describe('whether a number can be called from', () => {
  it('is what the network says, whatever the caller says', async () => {
    const capable = await makeNumber({ outbound_capable: false });
    expect(await numbers.get(workspaceId, capable)).toMatchObject({ outbound_capable: true });
    answer = async () => false;
    const incapable = await makeNumber({ outbound_capable: true });
    expect(await numbers.get(workspaceId, incapable)).toMatchObject({ outbound_capable: false });
  });

  it('is what the caller says where the network cannot tell', async () => {
    answer = async () => undefined;
    const stated = await makeNumber({ outbound_capable: true });
    const silent = await makeNumber();
    await makePrimary(stated);
    expect(await isPrimary(stated)).toBe(true);
    expect(await codeOf(makePrimary(silent))).toBe('NOT_OUTBOUND_CAPABLE');
    expect(await isPrimary(stated)).toBe(true);
  });

  it('is refused if the account does not have it, and nothing is stored', async () => {
    answer = async () => 'not_ours';
    const phone = newPhone();
    const body = { phone_number: phone, bot_id: botId, outbound_capable: true };
    expect(await codeOf(numbers.create(workspaceId, body, recordNothing))).toBe('VALIDATION_FAILED');
    expect(await numbers.findByPhone(phone)).toBeUndefined();
    answer = async () => true;
    const id = await makeNumber();
    answer = async () => 'not_ours';
    expect(await codeOf(makePrimary(id))).toBe('NOT_OUTBOUND_CAPABLE');
  });

  it('is asked again when the number becomes the primary one', async () => {
    answer = async () => false;
    const id = await makeNumber();
    expect(await codeOf(makePrimary(id))).toBe('NOT_OUTBOUND_CAPABLE');
    answer = async () => true;
    await makePrimary(id);
    expect(await numbers.get(workspaceId, id)).toMatchObject({
      outbound_capable: true,
      is_outbound_primary: true,
    });
    const before = asked.length;
    await numbers.update(workspaceId, id, { is_outbound_primary: true, greeting: 'Hello.' });
    expect(asked.length, 'asked although nothing changed').toBe(before);
  });

  it('is 502 if the network fails, and nothing is stored', async () => {
    const id = await makeNumber();
    answer = async () => {
      throw new Error('Twilio is down');
    };
    const phone = newPhone();
    const body = { phone_number: phone, bot_id: botId };
    expect(await codeOf(numbers.create(workspaceId, body, recordNothing))).toBe('UPSTREAM_FAILED');
    expect(await numbers.findByPhone(phone)).toBeUndefined();
    const change = { is_outbound_primary: true, greeting: 'Hello.' };
    expect(await codeOf(numbers.update(workspaceId, id, change))).toBe('UPSTREAM_FAILED');
    expect(await numbers.get(workspaceId, id)).toMatchObject({ is_outbound_primary: false, greeting: null });
  });
});

describe('the primary number of a bot', () => {
  it('is one, and the mark moves in a race without losing it', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => makeNumber()));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(ids.map(makePrimary));
      const marks = await Promise.all(ids.map(isPrimary));
      expect(marks.filter(Boolean)).toHaveLength(1);
      const primary = await numbers.findPrimary(workspaceId, botId);
      expect(primary?.id).toBe(ids[marks.indexOf(true)]);
    }
    const moved = (await service.call(`GET /api/v1/audit?action=number.updated&limit=200`)).body;
    const lost = moved.filter((entry: { object: { id: string }; changes: unknown[] }) =>
      entry.changes.some((change) => JSON.stringify(change).includes('"before":true,"after":false')),
    );
    expect(lost.length).toBeGreaterThan(0);
  });

  it('can be given up', async () => {
    const id = await makeNumber();
    await makePrimary(id);
    await numbers.update(workspaceId, id, { is_outbound_primary: false });
    expect(await numbers.findPrimary(workspaceId, botId)).toBeUndefined();
  });

  it('takes its mark to another bot, unless that bot has one', async () => {
    const [first, second] = [await makeNumber(), await makeNumber()];
    const other = await makeBot();
    await makePrimary(first);
    await numbers.update(workspaceId, first, { bot_id: other });
    expect(await isPrimary(first)).toBe(true);

    await makePrimary(second);
    await numbers.update(workspaceId, second, { bot_id: other });
    expect([await isPrimary(first), await isPrimary(second)]).toEqual([true, false]);

    const third = await makeNumber();
    await numbers.update(workspaceId, third, { bot_id: other, is_outbound_primary: true });
    expect([await isPrimary(first), await isPrimary(third)]).toEqual([false, true]);
    expect((await numbers.findPrimary(workspaceId, other))?.id).toBe(third);
  });
});

describe('a number that is called', () => {
  it('is found with or without a plus, while its bot is active', async () => {
    const id = await makeNumber();
    const { phone_number: phone } = await numbers.get(workspaceId, id);
    for (const form of [phone, phone.slice(1)])
      expect(await numbers.findByPhone(form)).toMatchObject({ number: { id }, bot: { id: botId } });
    expect(await numbers.findByPhone(`${phone}1`)).toBeUndefined();
    expect(await numbers.findByPhone('')).toBeUndefined();
    await service.call(`DELETE /api/v1/bots/${botId}`);
    expect(await numbers.findByPhone(phone)).toBeUndefined();
  });
});
