import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutage, type Outage } from '../support/embedded-outage.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { freezePostgres } from '../support/faults/postgres.ts';
import type { StreamReader } from '../support/faults/reader.ts';
import {
  conversationOf,
  createFleet,
  expectWhole,
  key,
  makeBot,
  readStored,
} from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { type ClientView, createClientView } from '../support/faults/view.ts';
import type { ServiceProcess } from '../support/service-process.ts';

/** Longer than it takes other nodes to declare a silent node dead. */
const outageMilliseconds = 17_000;

const fleet = createFleet();
let outage: Outage;
let model: PlannedModel;
let service: ServiceProcess;
let botId: string;

beforeAll(async () => {
  outage = createOutage(await fleet.dataDirectory());
  model = await startPlannedModel();
  service = await fleet.start({ OPENAI_BASE_URL: model.url });
  botId = await makeBot(service);
});
afterAll(async () => {
  await fleet.end();
  await model.close();
});

interface Talk {
  message: string;
  conversationId: string;
  view: ClientView;
  readers: StreamReader[];
}

const replyLengths = { soon: 3_000, sooner: 2_000, later: outageMilliseconds + 4_000 };
const text = 'It begins, and then it ends.';

/** Turns during their replies: two end during the outage, one after it, and one model breaks off during it. */
async function beginTalks(outageName: string): Promise<Talk[]> {
  for (const [name, milliseconds] of Object.entries(replyLengths)) {
    const [first = '', second = ''] = text.split(/(?<=,)/);
    const wait = { type: 'delay' as const, milliseconds };
    model.plan(`${outageName} ${name}`, [
      { type: 'text', text: first },
      wait,
      { type: 'text', text: second },
    ]);
  }
  model.plan(`${outageName} broken`, [
    { type: 'text', text: 'It breaks' },
    { type: 'delay', milliseconds: 3_000 },
    { type: 'cut' },
  ]);
  const names = [...Object.keys(replyLengths), 'broken'];
  return Promise.all(names.map((name) => beginTalk(`${outageName} ${name}`)));
}

async function beginTalk(message: string): Promise<Talk> {
  const stream = fleet.send(service, { message, bot_id: botId, new_conversation: true });
  const conversationId = await conversationOf(stream);
  await until('the reply begins', () => stream.events.length > 1);
  const talk = { message, conversationId, view: createClientView(), readers: [] };
  read(talk);
  await until('the reader is there', () => talk.view.previews.size === 1);
  return talk;
}

function read({ conversationId, view, readers }: Talk): StreamReader {
  const reader = fleet.follow(service, conversationId, view);
  readers.push(reader);
  return reader;
}

/** Reconnects, as an EventSource does, until the service accepts it. */
async function readAgain(talk: Talk): Promise<void> {
  for (const reader of talk.readers) reader.destroy();
  const isIn = async () => {
    const reader = read(talk);
    await until('an answer', () => reader.status() !== undefined || reader.isClosed());
    if (reader.status() === 200) return true;
    reader.destroy();
    await sleep(200);
    return false;
  };
  await until('the reader is let in', isIn);
}

/** Polls the liveness of the process until `during` ends. */
async function livingThrough(during: Promise<void>): Promise<number[]> {
  const statuses: number[] = [];
  const over = new AbortController();
  void during.finally(() => over.abort());
  while (!over.signal.aborted) {
    statuses.push((await service.call(key)('GET /healthz')).status);
    await sleep(200);
  }
  await during;
  return statuses;
}

async function expectGoodEnds(talks: Talk[]): Promise<void> {
  for (const { message, conversationId, view } of talks) {
    const isIdle = async () => (await readStored(service, conversationId)).status === 'idle';
    await until(`${message} ends`, isIdle, { detail: service.output });
    const stored = await readStored(service, conversationId);
    await until('the reader has it all', () => view.durable.length === stored.events.length);
    expect(view.durable).toEqual(stored.events);
    expect(view.faults).toEqual([]);
    expect([...view.retracted], message).toEqual([]);
    expect(model.calls(message), message).toBe(1);
    if (message.endsWith('broken')) {
      expect(stored.messages[1]).toMatchObject({ content: 'It breaks', interrupted: true });
      expect(stored.events.at(-1)).toMatchObject({
        event: 'turn.failed',
        data: { error: { code: 'MODEL_UNAVAILABLE' } },
      });
    } else {
      expectWhole(stored, 1);
      expect(stored.messages[1]?.content).toBe(text);
    }
  }
}

const send = (message: string) => fleet.send(service, { message, bot_id: botId, new_conversation: true });

describe('turns whose database goes down during their replies', () => {
  it('all end properly when it was killed and stayed down', async () => {
    const talks = await beginTalks('killed');
    const refused: StreamReader[] = [];
    const lives = await livingThrough(
      (async () => {
        await outage.preventStart();
        await outage.killPostgres();
        await until('it is noticed', async () => (await service.call(key)('GET /readyz')).status === 503);
        for (let sent = 0; sent < 5; sent += 1) {
          refused.push(send('refused'));
          await sleep(outageMilliseconds / 5);
        }
        await outage.allowStart();
        await Promise.all(talks.slice(1).map(readAgain));
      })(),
    );
    expect(new Set(lives)).toEqual(new Set([200]));
    for (const stream of refused) {
      expect(stream.status()).toBe(503);
      expect(JSON.parse(stream.body())).toMatchObject({ success: false, code: 'NOT_READY' });
    }
    await expectGoodEnds(talks);
    expect(model.calls('refused')).toBe(0);
  });

  it('all end properly when it froze', async () => {
    const talks = await beginTalks('frozen');
    const lives = await livingThrough(
      (async () => {
        const frozen = await freezePostgres(await fleet.dataDirectory());
        try {
          await sleep(outageMilliseconds);
        } finally {
          frozen.thaw();
        }
        await Promise.all(talks.slice(1).map(readAgain));
      })(),
    );
    expect(new Set(lives)).toEqual(new Set([200]));
    await expectGoodEnds(talks);
  });
});
