import { afterAll, beforeAll, expect, it } from 'vitest';
import { text, toolCall, toolCalls, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../scripted-model/server.ts';
import {
  complete,
  giveTools,
  incomplete,
  isCheck,
  makeAgent,
  playAgent,
  runToItsEnd,
} from '../support/agents.ts';
import { askedBy, scriptedEnvironment } from '../support/chat.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const secret = 'canary-secret-9d2f';
let scripted: ScriptedModel;
let service: TestApp;
let shop: OutsideServer;
let received: { url: string; authorization: string | undefined }[];

beforeAll(async () => {
  scripted = await startScriptedModel();
  received = [];
  shop = await startOutsideServer((request, response) => {
    received.push({ url: request.url ?? '', authorization: request.headers.authorization });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"stock":7}');
  });
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' },
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  shop.close();
});

interface Step {
  type: string;
  name: string;
  index: number;
  turn_id: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- looked into freely
  input: any;
  // oxlint-disable-next-line typescript/no-explicit-any -- looked into freely
  output: any;
  usage: unknown;
  duration_ms: number;
  status: string;
}

/** The request that a traced step recorded, in the model's wire format. */
function onTheWire({ input }: Step): { role: string; content: string | null }[] {
  const messages = input.messages.map((message: { role: string; content: string; toolCalls?: object[] }) => ({
    role: message.role,
    content: message.content === '' && message.toolCalls ? null : message.content,
  }));
  return [{ role: 'system', content: input.system }, ...messages];
}

const plain = (request: ScriptedRequest | undefined) =>
  askedBy(request).map(({ role, content }) => ({ role, content }));

it('the trace of a whole run is what the model saw and said, step by step', async () => {
  const agentId = await makeAgent(service, { enable_agent_tracing: true, agent_goal: 'Check the stock.' });
  const address = `${shop.url}/stock`;
  await giveTools(service, agentId, [
    'calculator',
    {
      tool_type: 'http_request',
      name: 'stock',
      configuration: {
        method: 'GET',
        url: `${address}/{{item}}`,
        parameters: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
        auth_type: 'bearer',
        bearer_token: secret,
      },
    },
  ]);
  playAgent(
    scripted,
    [
      [text('I look.'), toolCall('stock', { item: 'pen' }), usage(11, 1)],
      [text('All good.'), usage(12, 2)],
      [
        toolCalls([
          { name: 'stock', arguments: { item: 'ink' } },
          { name: 'calculator', arguments: { expression: '7 + 7' } },
        ]),
        usage(13, 3),
      ],
      [text('14 in all.'), usage(14, 4)],
    ],
    [
      [text(JSON.stringify(incomplete('The ink was not looked up.'))), usage(21, 5)],
      [text(JSON.stringify(complete)), usage(22, 6)],
    ],
  );
  const conversation = await runToItsEnd(service, agentId, { payload: 'Pens and ink.' });
  expect(conversation).toMatchObject({ status: 'completed', run: { iterations: 4 } });

  const { body } = await service.call(`GET /api/v1/conversations/${conversation.id}/trace`);
  const steps = body.steps as Step[];
  expect(steps.map(({ index }) => index)).toEqual(steps.map((_, index) => index));
  expect(new Set(steps.map(({ turn_id }) => turn_id)).size).toBe(1);
  expect(steps.every(({ status, duration_ms }) => status === 'ok' && duration_ms >= 0)).toBe(true);
  const types = steps.map(({ type }) => type);
  // The two calls of the third reply end in either order.
  expect(types).toEqual([
    'model',
    'tool',
    'model',
    'goal_completion_check',
    'model',
    'tool',
    'tool',
    'model',
    'goal_completion_check',
  ]);

  // Every model request is one step, and every model step is one request.
  const asked = steps.filter(({ type }) => type !== 'tool');
  expect(asked).toHaveLength(scripted.requests.length);
  for (const [index, step] of asked.entries()) {
    const request = scripted.requests[index] as ScriptedRequest;
    expect(step.type).toBe(isCheck(request) ? 'goal_completion_check' : 'model');
    expect(onTheWire(step)).toEqual(plain(request));
  }
  expect(asked.map((step) => step.usage)).toEqual(
    [
      [11, 1],
      [12, 2],
      [21, 5],
      [13, 3],
      [14, 4],
      [22, 6],
    ].map(([input_tokens, output_tokens]) => ({ input_tokens, cached_input_tokens: 0, output_tokens })),
  );
  expect(asked.map(({ output }) => output.text ?? output)).toEqual([
    'I look.',
    'All good.',
    incomplete('The ink was not looked up.'),
    '',
    '14 in all.',
    complete,
  ]);

  // Every call to the shop is one step, with the shop's answer.
  const calls = steps.filter(({ type }) => type === 'tool');
  const stock = calls.filter(({ name }) => name === 'stock');
  expect(stock.map(({ input }) => input)).toEqual([{ item: 'pen' }, { item: 'ink' }]);
  expect(received.map(({ url }) => url)).toEqual(['/stock/pen', '/stock/ink']);
  expect(JSON.stringify(stock.map(({ output }) => output))).toContain('"stock":7');

  // The secret went to the shop, and nowhere else.
  expect(received.every(({ authorization }) => authorization === `Bearer ${secret}`)).toBe(true);
  const everything = JSON.stringify([body, conversation, scripted.requests.map((request) => request.body)]);
  expect(everything).not.toContain(secret);
});
