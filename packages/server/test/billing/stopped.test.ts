import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  cut,
  hang,
  open,
  reasoning,
  type Script,
  status,
  text,
  toolCall,
  usage,
} from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { complete, isCheck, makeAgent, startRun } from '../support/agents.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { assignTools, isGrading } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { accountOf, inputTokensOf, outputTokensOf, recordedIn } from './money.ts';

const prices = JSON.stringify({ 'openai/gpt-4*': { input: 10, output: 10_000 } });

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
});
afterAll(() => scripted.close());

const limited = {
  SVC_MODEL_PRICES: prices,
  SVC_PLAN_BALANCE_USD: '1000',
  SVC_EGRESS_ALLOW: '127.0.0.1',
};
/** What was recorded and paid before the test. */
let earlier: { records: number; settled: number };

/** A service for the tests beside this, by default with a balance. */
function useService(environment: Record<string, string> = limited): void {
  beforeAll(async () => {
    service = await startTestApp({ environment: { ...scriptedEnvironment(scripted), ...environment } });
  });
  beforeEach(async () => {
    scripted.reset();
    const records = (await recordedIn(service.database)).length;
    earlier = { records, settled: (await accountOf(service.database)).settled };
  });
  afterAll(() => service.stop());
}

const newRecords = async () => (await recordedIn(service.database)).slice(earlier.records);

const stop = (conversationId: string) =>
  service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });

/** The size of the provider's requests, in tokens. */
const asked = () => scripted.requests.map(inputTokensOf);

async function expectPaid(records: { input: number | undefined; output: number }[]): Promise<void> {
  const recorded = await newRecords();
  expect(recorded.map(({ input, output }) => ({ input, output }))).toEqual(records);
  const cost = recorded.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  expect(await accountOf(service.database)).toEqual({
    settled: expect.closeTo(earlier.settled + cost, 9),
    reserved: 0,
  });
  expect(cost).toBeCloseTo(
    records.reduce((sum, { input = 0, output }) => sum + input / 100_000 + output / 100, 0),
    9,
  );
}

describe('a turn', () => {
  useService();

  describe('that is stopped', () => {
    it.each([
      ['before the provider answers', [hang], '', ''],
      ['before its first word', [open, hang], '', ''],
      ['in the middle of a reply', [text('Well, let me see'), hang], 'Well, let me see', ''],
      ['while the model thinks', [reasoning('Hm, hm.'), text('Well'), hang], 'Well', 'Hm, hm.'],
    ] as [string, Script, string, string][])(
      '%s pays for what was sent until then',
      async (_when, script, seen, unseen) => {
        scripted.respondWith(script);
        const turn = await chat.send({ bot_id: await chat.bot() });
        const { data } = await turn.until('turn.started');
        await eventually(() => scripted.requests.length).toBe(1);
        // All of it has arrived when its end is seen.
        const isLast = ({ offset, text: delta }: { offset: number; text: string }) =>
          offset + delta.length === seen.length;
        if (seen) await turn.until(({ event, data: delta }) => event === 'message.delta' && isLast(delta));
        expect((await stop(data.conversation_id)).body).toEqual({ stopped: true });
        await turn.until('turn.interrupted');
        await expectPaid([{ input: asked()[0], output: outputTokensOf(seen + unseen) }]);
      },
    );

    it('while its reply is graded pays for both', async () => {
      scripted.respondWith(({ body }) => (isGrading(body) ? [open, hang] : [text('Yes.'), usage(100, 3)]));
      const turn = await chat.send({ bot_id: await chat.bot({ enable_confidence_scoring: true }) });
      const { data } = await turn.until('turn.started');
      await eventually(() => scripted.requests.length).toBe(2);
      await stop(data.conversation_id);
      await expectPaid([
        { input: 100, output: 3 },
        { input: asked()[1], output: 0 },
      ]);
    });

    it('while its goal is checked pays for the check', async () => {
      scripted.respondWith((request) => (isCheck(request) ? [open, hang] : [text('Done.'), usage(100, 3)]));
      const conversationId = await startRun(service, await makeAgent(service));
      await eventually(() => scripted.requests.length).toBe(2);
      await stop(conversationId);
      await expectPaid([
        { input: 100, output: 3 },
        { input: asked()[1], output: 0 },
      ]);
    });
  });

  it('whose check is asked twice pays twice', async () => {
    let checks = 0;
    scripted.respondWith((request) => {
      if (!isCheck(request)) return [text('Done.'), usage(1, 1)];
      checks += 1;
      return [text(checks === 1 ? 'Perhaps.' : JSON.stringify(complete)), usage(2, 2)];
    });
    await startRun(service, await makeAgent(service));
    await eventually(async () => (await newRecords()).length).toBe(3);
    await eventually(async () => (await accountOf(service.database)).reserved).toBe(0);
    await expectPaid([
      { input: 1, output: 1 },
      { input: 2, output: 2 },
      { input: 2, output: 2 },
    ]);
  });
});

describe('a turn whose provider', () => {
  useService();

  it('breaks off midway pays for what was received', async () => {
    scripted.respondWith([text('Well, let me see'), cut]);
    expect((await chat.say({ bot_id: await chat.bot() })).last.event).toBe('turn.failed');
    await expectPaid([{ input: asked()[0], output: outputTokensOf('Well, let me see') }]);
  });

  it('breaks off before its first word pays for every attempt', async () => {
    scripted.respondWith([open, cut]);
    expect((await chat.say({ bot_id: await chat.bot() })).last.event).toBe('turn.failed');
    expect(scripted.requests).toHaveLength(3);
    await expectPaid(asked().map((input) => ({ input, output: 0 })));
  });

  it('breaks off after the limit was lifted is asked again', async () => {
    // Between the two replies: the tool's answer comes after it.
    const lift = () => service.database.acrossWorkspaces.raw('update workspaces set credit_usd = null');
    const lifting = createHttpServer((_request, response) => {
      void lift().then(() => response.end('lifted'));
    }).listen(0, '127.0.0.1');
    await once(lifting, 'listening');
    const { port } = lifting.address() as AddressInfo;
    const configuration = { method: 'GET', url: `http://127.0.0.1:${port}/` };
    const tool = await service.call('POST /api/v1/tools', {
      body: { tool_type: 'http_request', name: 'lift', description: 'x', configuration },
    });
    const bot = await chat.bot();
    await assignTools(service.call, bot, [
      { tool_type: 'http_request', tool_configuration_id: tool.body.id },
    ]);
    scripted.enqueue([toolCall('lift', {})], [open, cut], [text('Done.')]);
    expect((await chat.say({ bot_id: bot })).last.event).toBe('turn.completed');
    expect(scripted.requests).toHaveLength(3);
    lifting.close();
    await service.database.acrossWorkspaces.raw('update workspaces set credit_usd = 1000');
  });

  it('refuses pays nothing', async () => {
    scripted.respondWith([status(400, {}, { error: { message: 'no' } })]);
    expect((await chat.say({ bot_id: await chat.bot() })).last.event).toBe('turn.failed');
    await expectPaid([]);
  });
});

describe('a turn whose provider cannot be reached', () => {
  // Nothing listens on port 9.
  useService({ ...limited, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });

  it('that is stopped before the model is asked pays nothing', async () => {
    const turn = await chat.send({ bot_id: await chat.bot() });
    const { data } = await turn.until('turn.started');
    await stop(data.conversation_id);
    await turn.ended();
    await expectPaid([]);
  });

  it('that fails pays nothing', async () => {
    const turn = await chat.say({ bot_id: await chat.bot() });
    expect(turn.last).toMatchObject({ event: 'turn.failed', data: { error: { code: 'MODEL_UNAVAILABLE' } } });
    await expectPaid([]);
  });
});

describe('a turn without a balance', () => {
  useService({});

  it('is counted the same', async () => {
    scripted.respondWith([open, hang]);
    const turn = await chat.send({ bot_id: await chat.bot() });
    const { data } = await turn.until('turn.started');
    await eventually(() => scripted.requests.length).toBe(1);
    await stop(data.conversation_id);
    expect(await newRecords()).toMatchObject([{ input: asked()[0], output: 0 }]);
  });
});
