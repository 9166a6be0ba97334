import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { newId } from '../../src/lib/new-id.ts';
import { createNodeCommands } from '../../src/nodes/node-commands.ts';
import { createTelemetry } from '../../src/telemetry/create-telemetry.ts';
import { noTelemetry } from '../../src/telemetry/telemetry.ts';
import { hang, status, text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { makePerson } from '../support/end-users.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startNode } from '../support/test-node.ts';
import { createWidgetKey, openPage } from '../widgets/use-widget.ts';
import { type Collector, startCollector } from './otlp-collector.ts';

const key = 'canary-of-the-collector';
/** Prints at exit how many OpenTelemetry files the process loaded by `import` or `require`. */
const countOpenTelemetryFiles = `
  import { registerHooks } from 'node:module';
  let count = 0;
  registerHooks({
    load(url, context, nextLoad) {
      if (url.includes('/@opentelemetry/')) count += 1;
      return nextLoad(url, context);
    },
  });
  process.on('exit', () => process.stdout.write('opentelemetry files: ' + count));`;
const alive = new AbortController().signal;
let model: ScriptedModel;
let collector: Collector;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());
beforeEach(async () => {
  model.reset();
  collector = await startCollector();
});
afterEach(() => collector.close());

/** Runs the service during the work; all spans have arrived once it has stopped. */
async function withService(
  environment: Record<string, string>,
  work: (service: TestApp, botId: string) => Promise<void>,
): Promise<TestApp> {
  const service = await startTestApp({
    environment: {
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.url('openai'),
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${key},x-team=a%20b`,
      ...environment,
    },
  });
  try {
    const bot = await service.call('POST /api/v1/bots', {
      body: { name: 'Support', system_prompt: 'canary-prompt', model: 'openai/gpt-5-mini' },
    });
    await work(service, bot.body.id);
  } finally {
    await service.stop();
  }
  return service;
}

function send(service: TestApp, botId: string) {
  const body = { bot_id: botId, message: 'canary-question', external_user_id: 'u' };
  return service.call('POST /api/v1/chat/send-stream', { body });
}

const spanNamed = (name: string) => collector.spans.find((span) => span.name === name);

describe('spans', () => {
  it('show a turn with its model call, without the texts', async () => {
    model.enqueue([text('canary-reply'), usage(120, 40, 100)]);
    let botId = '';
    let conversationId: string | undefined;
    await withService({ OTEL_SERVICE_NAME: 'acme-svc' }, async (service, id) => {
      botId = id;
      conversationId = /"conversation_id":"([^"]+)"/.exec((await send(service, id)).body)?.[1];
    });
    const turn = spanNamed('invoke_agent Support');
    const call = spanNamed('chat gpt-5-mini');
    const accepted = spanNamed('accept_turn');
    expect(collector.spans).toHaveLength(3);
    expect(turn).toMatchObject({
      kind: 1,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': botId,
        'gen_ai.agent.name': 'Support',
        'gen_ai.conversation.id': conversationId,
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-5-mini',
      },
      resource: { 'service.name': 'acme-svc', 'service.instance.id': expect.any(String) },
    });
    expect(accepted).toMatchObject({ kind: 4, attributes: { 'svc.admission': 'admitted' } });
    expect(accepted?.parentSpanId ?? '').toBe('');
    expect(turn).toMatchObject({ traceId: accepted?.traceId, parentSpanId: accepted?.spanId });
    expect(call).toMatchObject({
      kind: 3,
      traceId: turn?.traceId,
      parentSpanId: turn?.spanId,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-5-mini',
        'gen_ai.usage.input_tokens': 120,
        'gen_ai.usage.cache_read.input_tokens': 100,
        'gen_ai.usage.output_tokens': 40,
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.response.time_to_first_chunk': expect.any(Number),
      },
    });
    for (const span of collector.spans) expect(span.status.code ?? 0).toBe(0);
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-api-key': key, 'x-team': 'a b' },
    });
    expect(collector.requests.map(({ body }) => body).join()).not.toContain('canary-');
  });

  it('show the error of a model call, on the call and on the turn', async () => {
    model.respondWith([status(401, {}, { error: { message: 'canary-words of the provider' } })]);
    await withService({}, async (service, id) => void (await send(service, id)));
    for (const name of ['invoke_agent Support', 'chat gpt-5-mini']) {
      const span = spanNamed(name);
      expect(span?.attributes['error.type']).toBe('MODEL_REJECTED');
      expect(span?.status).toEqual({ code: 2, message: expect.stringContaining('openai') });
      expect(span?.attributes['gen_ai.response.finish_reasons']).toBeUndefined();
    }
    expect(collector.requests.map(({ body }) => body).join()).not.toContain('canary-');
  });

  it('do not report a stop as a failure', async () => {
    model.enqueue([text('So far'), hang]);
    await withService({}, async (service, id) => {
      const sent = send(service, id);
      await expect.poll(() => model.requests.length).toBe(1);
      const [conversation] = (await service.call('GET /api/v1/conversations')).body;
      await service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversation.id } });
      await sent;
    });
    for (const name of ['invoke_agent Support', 'chat gpt-5-mini']) {
      const span = spanNamed(name);
      expect(span?.attributes).toMatchObject({ 'svc.ended_by': 'StopRequested' });
      expect(span?.attributes['error.type']).toBeUndefined();
      expect(span?.status.code ?? 0).toBe(0);
    }
  });

  it('contain the texts if the operator enables it', async () => {
    model.enqueue([text('canary-reply')]);
    const environment = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' };
    await withService(environment, async (service, id) => void (await send(service, id)));
    const said = (name: string): unknown =>
      JSON.parse(String(spanNamed('chat gpt-5-mini')?.attributes[`gen_ai.${name}`]));
    expect(JSON.stringify(said('system_instructions'))).toContain('canary-prompt');
    expect(said('input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'canary-question' }] },
    ]);
    expect(said('output.messages')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'canary-reply' }] },
    ]);
  });

  it('show tool calls below their turn', async () => {
    const config = { endpoint: collector.url, headers: {}, serviceName: 'svc', captureContent: false };
    const telemetry = await createTelemetry(config, { nodeId: 'n', log: pino({ enabled: false }) });
    const ids = {
      turnId: 't',
      conversationId: 'c',
      botId: 'b',
      requestId: undefined,
      traceParent: undefined,
    };
    const turn = { ...ids, botName: 'Support', signal: alive };
    const call = { id: 'call-1', name: 'lookup', toolType: 'http_request', signal: alive };
    const failing = telemetry.turn(turn, async () => {
      expect(await telemetry.toolCall('t', call, async () => 7)).toBe(7);
      await telemetry.toolCall('t', { ...call, name: 'broken' }, () =>
        Promise.reject(new Error('outer', { cause: new AppError('UPSTREAM_FAILED') })),
      );
    });
    await expect(failing).rejects.toThrow('outer');
    await telemetry.stop();
    const parentSpanId = spanNamed('invoke_agent Support')?.spanId;
    expect(spanNamed('execute_tool lookup')).toMatchObject({
      parentSpanId,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'lookup',
        'gen_ai.tool.call.id': 'call-1',
      },
    });
    expect(spanNamed('execute_tool broken')).toMatchObject({
      parentSpanId,
      status: { code: 2 },
      attributes: { 'error.type': 'UPSTREAM_FAILED' },
    });
  });
});

describe('over several nodes', () => {
  it('a turn that another node takes over stays in the trace of its request, and so do its log lines', async () => {
    const { database, drop } = await createTestDatabase();
    const environment = {
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.url('openai'),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    };
    const first = await startNode({ database, environment });
    const second = await startNode({ database, environment });
    model.enqueue([text('So far'), hang]);
    model.enqueue([text('Whole.')]);
    const bot = { name: 'Support', system_prompt: 'x', model: 'openai/gpt-5-mini' };
    const botId = (await first.call('POST /api/v1/bots', { body: bot })).body.id;
    const [traceId, callerSpan] = ['ab'.repeat(16), 'cd'.repeat(8)];
    const sent = first.call('POST /api/v1/chat/send-stream', {
      body: { bot_id: botId, message: 'Hello', external_user_id: 'u' },
      headers: { traceparent: `00-${traceId}-${callerSpan}-01`, 'x-request-id': 'request-of-the-caller' },
    });
    await expect.poll(() => model.requests.length).toBe(1);
    await first.stop(0);
    await sent.catch(() => undefined);
    await expect
      .poll(async () => (await second.call('GET /api/v1/conversations')).body[0].status)
      .toBe('idle');
    await second.stop();
    await drop();

    expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    const accepted = spanNamed('accept_turn');
    expect(accepted?.parentSpanId).toBe(callerSpan);
    const turns = collector.spans.filter(({ name }) => name === 'invoke_agent Support');
    expect(turns).toHaveLength(2);
    expect(new Set(turns.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
    for (const span of [accepted, ...turns])
      expect(span?.attributes['svc.request.id']).toBe('request-of-the-caller');
    for (const turn of turns) expect(turn.parentSpanId).toBe(accepted?.spanId);
    const line = second.logged.find((one) => one.includes('Taking over an abandoned turn.')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ request_id: 'request-of-the-caller', trace_id: traceId });
  });

  it('only account keys continue the trace of a request, which is recorded even if the caller does not record it', async () => {
    const traceIdOf = (index: number) => String(index).padStart(32, 'a');
    const traced = (index: number) => ({ traceparent: `00-${traceIdOf(index)}-${'cd'.repeat(8)}-00` });
    model.respondWith([text('Hello.')]);
    await withService({}, async (service, botId) => {
      const body = { bot_id: botId, message: 'Hello', new_conversation: true };
      const person = await makePerson(service);
      const page = openPage(service, (await createWidgetKey(service, botId)).api_key);
      const { token } = await page.issueToken();
      const malformed = { traceparent: `${traced(3).traceparent}-more` };
      const sendAs = (sender: string, external: object, headers: Record<string, string>) =>
        service.call('POST /api/v1/chat/send-stream', {
          key: sender,
          body: { ...body, ...external },
          headers,
        });
      const external = { external_user_id: 'u' };
      expect((await sendAs(person.token, {}, traced(1))).body).toContain('turn.completed');
      expect(await page.say(token, {}, traced(2))).toBeTypeOf('string');
      expect((await sendAs(service.key, external, malformed)).body).toContain('turn.completed');
      expect((await sendAs(service.key, external, traced(4))).body).toContain('turn.completed');
    });
    const accepted = collector.spans.filter(({ name }) => name === 'accept_turn');
    expect(accepted).toHaveLength(4);
    const joined = collector.spans.filter(({ traceId }) => [1, 2, 3, 4].map(traceIdOf).includes(traceId));
    expect(new Set(joined.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(4)]));
    expect(joined.map(({ name }) => name).toSorted()).toEqual([
      'accept_turn',
      'chat gpt-5-mini',
      'invoke_agent Support',
    ]);
    expect(joined.find(({ name }) => name === 'accept_turn')?.parentSpanId).toBe('cd'.repeat(8));
  });

  it('what one node tells another to do for a call of a tool stays in its trace', async () => {
    const { database, drop } = await createTestDatabase();
    const config = { endpoint: collector.url, headers: {}, serviceName: 'svc', captureContent: false };
    const log = pino({ enabled: false });
    const [here, there] = [newId(), newId()];
    const telemetry = await createTelemetry(config, { nodeId: there, log });
    await database.acrossWorkspaces.execute(sql`insert into nodes (id) values (${here}), (${there})`);
    const sender = createNodeCommands({ database, log }, here);
    const receiver = createNodeCommands({ database, log, telemetry }, there);
    const kind = { name: 'to machine' };
    const received: object[] = [];
    receiver.handle(kind, (content) => void received.push(content));
    const call = { id: 'call-1', name: 'lookup', toolType: 'coding', signal: alive };
    await telemetry.toolCall('t', call, async (traceParent) =>
      sender.send(kind, there, { machineId: 'm' }, { traceParent }),
    );
    sender.send(kind, there, { machineId: 'without a trace' });
    await sender.close();
    receiver.collect();
    await expect.poll(() => received.length).toBe(2);
    await receiver.close();
    await telemetry.stop();
    await database.close();
    await drop();
    const tool = spanNamed('execute_tool lookup');
    const commands = collector.spans.filter(({ name }) => name === 'node_command to machine');
    expect(commands).toMatchObject([{ kind: 5, traceId: tool?.traceId, parentSpanId: tool?.spanId }]);
  });
});

describe('a collector in trouble', () => {
  it.each(['while the service runs', 'as it stops'])('is reported without its key %s', async (moment) => {
    collector.answerWith(401, JSON.stringify({ message: `wrong key ${key}` }));
    model.enqueue([text('Hello')]);
    const sentence = 'Telemetry could not be delivered.';
    const service = await withService({}, async (running, id) => {
      expect((await send(running, id)).body).toContain('turn.completed');
      if (moment === 'as it stops') return;
      await expect.poll(() => running.logged.join('')).toContain(sentence);
    });
    expect(service.logged.filter((line) => line.includes(sentence))).toHaveLength(1);
    expect(service.logged.join('')).toContain('Unauthorized');
    expect(service.logged.join('')).not.toContain(key);
  });

  it('does not prevent the service from stopping', async () => {
    const closed = 'http://127.0.0.1:1';
    model.enqueue([text('Hello')]);
    let stoppingAt = 0;
    await withService({ OTEL_EXPORTER_OTLP_ENDPOINT: closed }, async (service, id) => {
      await send(service, id);
      stoppingAt = performance.now();
    });
    expect(performance.now() - stoppingAt).toBeLessThan(5_000);
  });
});

describe('without an endpoint', () => {
  it('uses functions that only call through', async () => {
    const log = pino({ enabled: false });
    expect(await createTelemetry(undefined, { nodeId: 'n', log })).toBe(noTelemetry);
  });

  it('loads no OpenTelemetry files', async () => {
    const store = await createTestDatabase();
    const hook = `--import=data:text/javascript,${encodeURIComponent(countOpenTelemetryFiles)}`;
    const countIn = (output: string) => Number(/opentelemetry files: (\d+)/.exec(output)?.[1]);
    try {
      const environment = { ...store.environment, NODE_OPTIONS: hook };
      const service = await startServiceProcess(environment, { fromSources: true });
      await service.ready();
      await service.end('SIGTERM');
      expect(countIn(service.output())).toBe(0);
    } finally {
      await store.drop();
    }
    // The same check finds them when they are loaded.
    const file = new URL('../../src/telemetry/open-telemetry.ts', import.meta.url).href;
    const loading = await promisify(execFile)(process.execPath, [hook, '-e', `import('${file}')`]);
    expect(countIn(loading.stdout)).toBeGreaterThan(10);
  });
});
