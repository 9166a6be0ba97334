import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBillingService } from '../../src/billing/billing.service.ts';
import { usageRecords } from '../../src/billing/billing.tables.ts';
import { sql } from '../../src/database/drizzle.ts';
import { createMessageCaps } from '../../src/end-users/caps.ts';
import type { SendCounted, Sender } from '../../src/http/end-user.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { parseUsd } from '../../src/lib/money.ts';
import { newId } from '../../src/lib/new-id.ts';
import { messageCountStore } from '../../src/limits/limits.store.ts';
import { createMessageCounter } from '../../src/limits/message-counter.ts';
import { createPostgresCounter } from '../../src/limits/postgres-counter.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let store: TestDatabase;
beforeAll(async () => {
  store = await createTestDatabase();
});
afterAll(() => store.drop());

const workspaceId = newId();

/** A process that counts, with the number of times that it used the counter. */
function createProcess(log = pino({ level: 'silent' })) {
  const counter = createMessageCounter(createPostgresCounter(store.database.counting, messageCountStore));
  const used = { times: 0 };
  const add: typeof counter.add = (quotas) => {
    used.times += 1;
    return counter.add(quotas);
  };
  const billing = createBillingService({ database: store.database, clock: systemClock });
  return { used, caps: createMessageCaps({ counter: { ...counter, add }, billing, log }) };
}

function createSender(caps: Partial<Sender['caps']>, more: Partial<Sender> = {}): Sender {
  return {
    workspaceId,
    externalUserId: newId(),
    caps: { messagesPerHour: null, usdPerDay: null, ...caps },
    ...more,
  };
}

const send: SendCounted<string> = async (refusal) => {
  if (refusal) throw refusal;
  return 'sent';
};
const refusal = (limit: string, value: unknown) =>
  expect.objectContaining({ code: 'RATE_LIMITED', details: [{ limit, value }] });

async function spend(sender: Sender, costUsd: string, hoursAgo: number): Promise<void> {
  await store.database.acrossWorkspaces.insert(usageRecords).values({
    id: newId(),
    workspaceId,
    externalUserId: sender.externalUserId,
    model: 'test',
    inputTokens: 1,
    cachedInputTokens: 0,
    outputTokens: 1,
    costUsd,
    createdAt: sql`now() - ${hoursAgo} * interval '1 hour'`,
  });
}

it('counts nothing without limits', async () => {
  const { caps, used } = createProcess();
  const sender = createSender({});
  caps.refuseKnown(sender);
  expect(await caps.during(sender, send)).toBe('sent');
  expect(used.times).toBe(0);
});

it('refuses above the limit, on every process and after a restart', async () => {
  const [one, other] = [createProcess(), createProcess()];
  const sender = createSender({ messagesPerHour: 3 });
  for (const { caps } of [one, other, one]) await caps.during(sender, send);
  const refused = refusal('max_messages_per_hour', 3);
  for (const { caps } of [one, other, createProcess()]) {
    await expect(caps.during(sender, send)).rejects.toEqual(refused);
  }
  await createProcess().caps.during({ ...sender, workspaceId: newId() }, send);
});

it('refuses a flood from memory, and lets one request per second look again', async () => {
  const { caps, used } = createProcess();
  const sender = createSender({ messagesPerHour: 1 });
  await caps.during(sender, send);
  await expect(caps.during(sender, send)).rejects.toThrow(AppError);
  expect(used.times).toBe(2);
  const started = performance.now();
  let passed = 0;
  for (let index = 0; index < 1_000; index += 1) {
    try {
      caps.refuseKnown(sender);
      passed += 1;
    } catch (error) {
      expect(error).toEqual(refusal('max_messages_per_hour', 1));
    }
  }
  expect(passed).toBeLessThanOrEqual((performance.now() - started) / 1_000 + 1);
});

it('adds what is not recorded yet to what a user has cost', async () => {
  const { caps } = createProcess();
  const sender = createSender({ usdPerDay: '1' });
  await spend(sender, '0.4', 1);
  expect(await caps.mayCostMore(sender, parseUsd('0.59'))).toBe(true);
  expect(await caps.mayCostMore(sender, parseUsd('0.6'))).toBe(false);
  expect(await caps.mayCostMore(createSender({ usdPerDay: '1' }), parseUsd('1'))).toBe(false);
  expect(await caps.mayCostMore(createSender({}), parseUsd('1000'))).toBe(true);
});

it('limits all visitors of a widget key together, and each of them', async () => {
  const { caps } = createProcess();
  const widgetKey = { id: newId(), messagesPerHour: 5 };
  const visitors = [1, 2, 3].map(() => createSender({ messagesPerHour: 2 }, { widgetKey }));
  const [first, second, third] = visitors as [Sender, Sender, Sender];
  for (const visitor of [first, second, first, second]) await caps.during(visitor, send);
  await expect(caps.during(first, send)).rejects.toEqual(refusal('visitor_messages_per_hour', 2));
  await caps.during(third, send);
  await expect(caps.during(third, send)).rejects.toEqual(refusal('rate_limit_per_hour', 5));
  await caps.during({ ...third, widgetKey: { id: newId(), messagesPerHour: 1 } }, send);
});

it('warns once that a widget key has reached its limit', async () => {
  const lines: string[] = [];
  const { caps } = createProcess(pino({}, { write: (line) => void lines.push(line) }));
  const widgetKey = { id: newId(), messagesPerHour: 1 };
  const sender = createSender({ messagesPerHour: 5 }, { widgetKey });
  await caps.during(sender, send);
  for (const _ of [1, 2]) await expect(caps.during(sender, send)).rejects.toThrow(AppError);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, widget_key_id: widgetKey.id, rate_limit_per_hour: 1 },
  ]);
  const visitor = createSender(
    { messagesPerHour: 1 },
    { widgetKey: { ...widgetKey, id: newId(), messagesPerHour: 9 } },
  );
  await caps.during(visitor, send);
  await expect(caps.during(visitor, send)).rejects.toThrow(AppError);
  expect(lines).toHaveLength(1);
});

it('does not count messages that are refused', async () => {
  const { caps } = createProcess();
  const widgetKey = { id: newId(), messagesPerHour: 1 };
  const sender = createSender({ messagesPerHour: 1 }, { widgetKey });
  const busy = () => caps.during(sender, () => Promise.reject(new AppError('TURN_IN_PROGRESS')));
  for (let index = 0; index < 3; index += 1)
    await expect(busy()).rejects.toThrow(expect.objectContaining({ code: 'TURN_IN_PROGRESS' }));
  await caps.during(sender, send);
  await expect(caps.during(sender, send)).rejects.toThrow(AppError);
});

it('counts messages that may have been stored', async () => {
  const { caps } = createProcess();
  const sender = createSender({ messagesPerHour: 1 });
  const lost = () => caps.during(sender, () => Promise.reject(new Error('The connection was lost.')));
  await expect(lost()).rejects.toThrow('The connection was lost.');
  await expect(caps.during(sender, send)).rejects.toEqual(refusal('max_messages_per_hour', 1));
});

it('lets repeats of a sent message through', async () => {
  const { caps } = createProcess();
  const sender = createSender({ messagesPerHour: 1 }, { idempotencyKey: 'first' });
  await caps.during(sender, send);
  const another = { ...sender, idempotencyKey: 'second' };
  await expect(caps.during(another, send)).rejects.toThrow(AppError);
  caps.refuseKnown(sender);
  expect(() => caps.refuseKnown(another)).toThrow(AppError);
  expect(() => caps.refuseKnown({ ...sender, idempotencyKey: undefined })).toThrow(AppError);
});

it('refuses senders whose messages have cost too much, until enough of it is a day old', async () => {
  const { caps } = createProcess();
  const sender = createSender({ usdPerDay: '1' });
  await spend(sender, '5', 25);
  await spend(sender, '0.4', 20);
  await spend(sender, '0.3', 10);
  await createProcess().caps.during(sender, send);
  await spend(sender, '0.7', 4);
  // A message for a person is sent, and does not affect the next one.
  expect(await caps.during(sender, async () => 'for a person')).toBe('for a person');
  caps.refuseKnown(sender);
  const refused = caps.during(sender, send);
  const error = (await refused.catch((thrown: unknown) => thrown)) as AppError;
  expect(error).toEqual(refusal('max_usd_per_day', '1'));
  // The last two alone reach the limit, so it takes until the older of them is a day old.
  expect(error.retryAfterSeconds).toBeGreaterThan(14 * 3_600 - 60);
  expect(error.retryAfterSeconds).toBeLessThanOrEqual(14 * 3_600);
  expect(() => caps.refuseKnown(sender)).toThrow(AppError);
  // Neither another limit nor another user is affected.
  caps.refuseKnown({ ...sender, caps: { ...sender.caps, usdPerDay: '2' } });
  await caps.during({ ...sender, caps: { ...sender.caps, usdPerDay: '2' } }, send);
  await caps.during(createSender({ usdPerDay: '1' }), send);
});

it('fails when PostgreSQL does, instead of sending uncounted', async () => {
  const { caps } = createProcess();
  const sender = createSender({ messagesPerHour: 5 });
  let isSent = false;
  await store.database.acrossWorkspaces.transaction(async (tx) => {
    await tx.execute('lock table message_counts');
    const sending = caps.during(sender, async () => {
      isSent = true;
    });
    await expect(sending).rejects.toThrow();
  });
  expect(isSent).toBe(false);
  await caps.during(sender, send);
});

it('keeps no id of a person', async () => {
  const { caps } = createProcess();
  const sender = createSender({ messagesPerHour: 5 });
  await caps.during(sender, send);
  const { rows } = await store.database.acrossWorkspaces.execute<{ name: string }>(
    'select name from message_counts',
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ name }) => name.includes(sender.externalUserId))).toEqual([]);
});
