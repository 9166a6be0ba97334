import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hang, type Script, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../scripted-model/server.ts';
import { giveTools, isCheck, makeAgent } from '../support/agents.ts';
import { askedBy } from '../support/chat.ts';
import { blockCommits } from '../support/faults/commits.ts';
import { createRandom } from '../support/faults/random.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import type { Answer, Call } from '../support/test-app.ts';

/**
 * Every run takes the same ten steps. For each step, one agent is blocked in its write when the process is killed; three more
 * are killed while they wait for something. The seed decides which writes are committed and which are rolled back.
 */
const steps = [
  'the run is begun',
  'a reply with a call',
  'the call is begun',
  'the call has ended',
  'the last words, too early',
  'the agent is sent back',
  'a second reply with a call',
  'the second call is begun',
  'the second call has ended',
  'the last words',
  'the run is complete',
] as const;
const middles = ['the model is asked', 'the tool works', 'the check is asked'] as const;

const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
const fleet = createFleet();
const worked: string[] = [];
const silenced = new Set<string>();
let outside: OutsideServer;
let model: ScriptedModel;
let service: ServiceProcess;
let call: Call;

beforeAll(async () => {
  process.stdout.write(`FAULT_SEED=${seed}\n`);
  outside = await startOutsideServer((request, response) => {
    worked.push(request.url ?? '');
    if (isFirst(request.url ?? '', 'the tool works')) return;
    response.writeHead(200, { 'content-type': 'text/plain' }).end('Worked.');
  });
  model = await startScriptedModel();
  model.respondWith(answer);
  await start();
});

afterAll(async () => {
  await fleet.end();
  outside.close();
  await model.close();
});

async function start(): Promise<void> {
  service = await fleet.start({ OPENAI_BASE_URL: model.url('openai'), SVC_EGRESS_ALLOW: '127.0.0.1' });
  call = service.call(key);
}

/** True once for each agent of a round that is killed while it waits for this. */
function isFirst(asked: string, middle: (typeof middles)[number]): boolean {
  const name = /round \d: [^.?]+/.exec(decodeURIComponent(asked))?.[0] ?? '';
  if (!name.endsWith(middle) || silenced.has(name)) return false;
  silenced.add(name);
  return true;
}

/** Answers as the agent or as the check. It depends on the request alone, whichever process sends it. */
function answer(request: ScriptedRequest): Script {
  const messages = askedBy(request);
  const said = messages.map(({ content }) => content).join('\n');
  if (isCheck(request)) {
    if (isFirst(said, 'the check is asked')) return [hang];
    const isWhole = said.includes('{\\"part\\":2}');
    return [text(isWhole ? '{"verdict":"complete"}' : '{"verdict":"incomplete","missing":["part 2"]}')];
  }
  if (isFirst(said, 'the model is asked')) return [hang];
  const last = messages.at(-1);
  const isSentBack = said.includes('- part 2');
  if (last?.role === 'user') return [toolCall('work', { part: isSentBack ? 2 : 1 })];
  return [text(isSentBack ? 'All is done.' : 'Part 1 is enough.')];
}

interface Killed {
  name: string;
  agentId: string;
  /** What became of the blocked write. */
  outcome: 'kept' | 'lost' | undefined;
  begun: Promise<Answer | undefined>;
}

async function makeWorker(name: string): Promise<string> {
  const agentId = await makeAgent({ call }, { name, agent_goal: `${name}.`, enable_agent_tracing: true });
  await giveTools({ call }, agentId, [
    {
      tool_type: 'http_request',
      name: 'work',
      configuration: {
        method: 'POST',
        approval: 'never',
        url: `${outside.url}/${encodeURIComponent(name)}?part={{part}}`,
        parameters: { type: 'object', properties: { part: { type: 'integer' } }, required: ['part'] },
      },
    },
  ]);
  return agentId;
}

/** A killed process never answers, which is not a failure. */
const begin = (agentId: string): Promise<Answer | undefined> =>
  call(`POST /api/v1/agents/${agentId}/trigger`).catch(() => undefined);

/** Undefined if there is none. */
async function conversationOf(agentId: string): Promise<Answer['body']> {
  const [conversation, ...others] = (await call(`GET /api/v1/conversations?bot_id=${agentId}`)).body;
  expect(others).toEqual([]);
  return conversation && (await call(`GET /api/v1/conversations/${conversation.id}`)).body;
}

const partsOf = (name: string) =>
  worked.filter((url) => decodeURIComponent(url).startsWith(`/${name}?`)).map((url) => url.split('part=')[1]);

type Fate = 'made' | 'never made' | 'made, but unconfirmed';

/** A call is never made twice: if the crash lost its answer, or came before the call, its outcome stays unknown. */
function fateOf(which: string, name: string, outcome: Killed['outcome']): Fate {
  if (name.endsWith(`: ${which} is begun`) && outcome === 'kept') return 'never made';
  const isCutOff = name.endsWith(`: ${which} has ended`) && outcome === 'lost';
  const isSilent = which === 'the call' && name.endsWith(': the tool works');
  return isCutOff || isSilent ? 'made, but unconfirmed' : 'made';
}

async function expectWhole({ name, agentId, outcome }: Killed): Promise<void> {
  const ended = async () => (await conversationOf(agentId))?.status === 'completed';
  await until(`"${name}" (${outcome}) is complete`, ended, {
    interval: 250,
    detail: () => service.output(),
  });
  const conversation = await conversationOf(agentId);
  expect(conversation, name).toMatchObject({
    final_output: 'All is done.',
    run: { iterations: 4, error: null },
  });
  const fates = [fateOf('the call', name, outcome), fateOf('the second call', name, outcome)];
  const isMade = (index: number) => fates[index] !== 'never made';
  expect(partsOf(name), name).toEqual(['1', '2'].filter((_, index) => isMade(index)));

  const log = (await call(`GET /api/v1/chat/events?conversation_id=${conversation.id}`)).body;
  expect(log.map(({ id }: { id: number }) => id)).toEqual(log.map((_: unknown, index: number) => index + 1));
  const oneCall = ['message.completed', 'tool.started', 'tool.completed', 'message.completed'];
  expect(
    log.map(({ event }: { event: string }) => event),
    name,
  ).toEqual(['turn.started', ...oneCall, 'message.completed', ...oneCall, 'turn.completed']);
  const outcomes = log
    .filter(({ event }: { event: string }) => event === 'tool.completed')
    .map(({ data: { status } }: { data: { status: string } }) => status);
  expect(outcomes, name).toEqual(fates.map((fate) => (fate === 'made' ? 'ok' : 'unknown')));
  const stats = (await call(`GET /api/v1/chat/stats?conversation_id=${conversation.id}`)).body;
  // Four replies and two checks, ten tokens each: no step was written twice.
  expect(stats, name).toMatchObject({ turns: 1, tool_calls: 2, input_tokens: 60 });
  const { steps: traced } = (await call(`GET /api/v1/conversations/${conversation.id}/trace`)).body;
  expect(
    traced.filter(({ type }: { type: string }) => type === 'goal_completion_check'),
    name,
  ).toHaveLength(2);
}

describe('after a kill -9 at any step', () => {
  it.each([1, 2])(
    `a run continues, and no call is made twice (round %i, FAULT_SEED=${seed})`,
    async (round) => {
      const random = createRandom(seed);
      const commits = await blockCommits(await fleet.connection());
      const killed: Killed[] = [];
      for (const [step, what] of steps.entries()) {
        const name = `round ${round}: ${what}`;
        const agentId = await makeWorker(name);
        await commits.block(agentId, step);
        // The second round rolls back what the first committed, and vice versa.
        const outcome = (random.below(2) === 0) === (round === 1) ? 'kept' : 'lost';
        killed.push({ name, agentId, outcome, begun: begin(agentId) });
      }
      for (const what of middles) {
        const name = `round ${round}: ${what}`;
        const agentId = await makeWorker(name);
        killed.push({ name, agentId, outcome: undefined, begun: begin(agentId) });
      }
      await commits.allBlocked();
      await until('the other agents are waiting', () =>
        middles.every((what) => silenced.has(`round ${round}: ${what}`)),
      );

      await service.end('SIGKILL');
      for (const { agentId, outcome } of killed) if (outcome) await commits.settle(agentId, outcome);
      await commits.end();
      await start();

      const [first, ...others] = killed as [Killed, ...Killed[]];
      // A run whose first write was rolled back left no trace, and the agent is free.
      if (first.outcome === 'lost') {
        expect(await conversationOf(first.agentId)).toBeUndefined();
        expect(await begin(first.agentId)).toMatchObject({ status: 202 });
      }
      for (const one of [first, ...others]) await expectWhole(one);
      await Promise.all(killed.map(({ begun }) => begun));
    },
  );
});
