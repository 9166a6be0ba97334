import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { lockRow } from '../support/faults/locks.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { readStream, type StreamReader } from '../support/faults/reader.ts';
import { conversationOf } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let model: PlannedModel;
let service: TestApp;
let botId: string;

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startTestApp({
    environment: { OPENAI_BASE_URL: model.url, SVC_DEFAULT_MODEL: 'openai/scripted', ...environment },
  });
  const created = await service.call('POST /api/v1/bots', {
    body: { name: 'T', system_prompt: 'Continue.' },
  });
  expect(created).toMatchObject({ status: 201 });
  botId = created.body.id;
}

beforeEach(async () => {
  model = await startPlannedModel();
});
afterEach(async () => {
  await service.stop();
  await model.close();
});

const send = (message: string, conversationId?: string): StreamReader =>
  readStream(service.url, {
    key: service.key,
    operation: 'POST /api/v1/chat/send-stream',
    body: {
      message,
      external_user_id: 'u',
      ...(conversationId ? { conversation_id: conversationId } : { bot_id: botId, new_conversation: true }),
    },
  });

const lastOf = (stream: StreamReader) => stream.events.at(-1);

/** A turn whose model hangs the first time and answers the second. */
async function beginSilent(message: string): Promise<StreamReader> {
  model.plan(message, [{ type: 'hang' }], [{ type: 'text', text: 'Here I am.' }]);
  const stream = send(message);
  await conversationOf(stream);
  await until('the model is asked', () => model.calls(message) === 1);
  return stream;
}

async function expectEnd(stream: StreamReader, event: string): Promise<void> {
  await until(`the stream ends with ${event}`, () => stream.isClosed(), { detail: stream.body });
  expect(lastOf(stream)?.event).toBe(event);
}

describe('a turn that changes hands', () => {
  it('is resumed by its own node if that does not run it', async () => {
    await start();
    const stream = await beginSilent('left behind');
    // As if this node had claimed it in a write whose answer was lost.
    await service.database.acrossWorkspaces.execute(sql`update turns set fence = fence + 1`);
    await expectEnd(stream, 'turn.completed');
    expect(model.calls('left behind')).toBe(2);
  });

  it('continues however often it changed hands before', async () => {
    await start();
    const stream = await beginSilent('well travelled');
    await service.database.acrossWorkspaces.execute(sql`update turns set fence = 30, node_id = null`);
    await expectEnd(stream, 'turn.completed');
  });

  it('fails when the same step was tried too often', async () => {
    await start();
    const stream = await beginSilent('hopeless');
    const many = sql`(select array_agg(gen_random_uuid()) from generate_series(1, 20))`;
    await service.database.acrossWorkspaces.execute(
      sql`update turns set reply_ids = ${many}, node_id = null`,
    );
    await expectEnd(stream, 'turn.failed');
    expect(model.calls('hopeless')).toBe(1);
  });

  it('fails when a provider’s error text looks like a database error', async () => {
    await start();
    model.plan('foreign words', [
      { type: 'status', status: 502, body: 'Connection terminated unexpectedly' },
    ]);
    const stream = send('foreign words');
    await expectEnd(stream, 'turn.failed');
    expect(lastOf(stream)?.data.error).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });

  it('refuses a message immediately while a reply is being settled, and neither waits for the other', async () => {
    await start({
      SVC_PLAN_BALANCE_USD: '10',
      SVC_MODEL_PRICES: '{"openai/scripted":{"input":1,"output":1}}',
    });
    const first = send('before');
    const conversationId = await conversationOf(first);
    await first.closed;
    model.plan('paid', [
      { type: 'text', text: 'Wait' },
      { type: 'delay', milliseconds: 4_000 },
      { type: 'text', text: ' for it.' },
    ]);
    const stream = send('paid', conversationId);
    await until('the reply begins', () => stream.events.length > 1);
    const { rows } = await service.database.acrossWorkspaces.execute<{ name: string }>(
      'select current_database() as name',
    );
    const account = await lockRow(
      { ...inject('postgres'), database: String(rows[0]?.name) },
      'billing_accounts',
      'true',
    );
    try {
      const second = send('too early', conversationId);
      await until('the second is answered', () => second.isClosed());
      expect(second.status()).toBe(409);
      await account.blocks();
    } finally {
      await account.release();
    }
    await expectEnd(stream, 'turn.completed');
  });
});
