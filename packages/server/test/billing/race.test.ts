import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import {
  cut,
  finish,
  hang,
  open,
  reasoning,
  type Script,
  status,
  text,
  usage,
} from '../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../scripted-model/server.ts';
import { complete, isCheck, makeAgent, trigger } from '../support/agents.ts';
import { askedBy, chatWith, scriptedEnvironment, upTo } from '../support/chat.ts';
import { asksForJudgement } from '../support/evaluating.ts';
import { createRandom } from '../support/faults/random.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { accountOf, inputTokensOf, outputTokensOf, recordedIn } from './money.ts';

const seed = Number(process.env['SVC_TEST_SEED'] ?? Date.now() % 1_000_000);
const creditUsd = 0.01;
/** A cent buys a hundred thousand output tokens. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 0.02, output: 0.1 } });

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  const environment = { SVC_MODEL_PRICES: prices, SVC_PLAN_BALANCE_USD: String(creditUsd) };
  service = await startTestApp({ environment: { ...scriptedEnvironment(scripted), ...environment } });
  const workspaces = createWorkspaceService({ database: service.database });
  for (const { id } of await workspaces.list()) await workspaces.changePlan(id, {}, { drafts: 'unlimited' });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const kinds = ['turn', 'turn', 'stop', 'stop-early', 'draft', 'bad-draft', 'left-draft', 'run'] as const;
type Kind = (typeof kinds)[number];

/** Plays the provider, and counts tokens as one does. */
function playProvider(random: { below(limit: number): number }) {
  const counted = { requests: 0, input: 0, output: 0 };
  const seen = new Set<string>();
  const arrived = new Map<string, PromiseWithResolvers<void>>();
  const arrival = (id: string) => {
    const known = arrived.get(id) ?? Promise.withResolvers<void>();
    arrived.set(id, known);
    return known;
  };

  function count(request: ScriptedRequest, outputTokens: number): void {
    counted.requests += 1;
    counted.input += inputTokensOf(request);
    counted.output += outputTokens;
  }

  /** A reply of random length, within the limit of the request. */
  function reply(request: ScriptedRequest, said: string): Script {
    const maxTokens = Number(request.body['max_tokens'] ?? 1_000_000);
    const wanted = outputTokensOf(said) + random.below(3_000);
    const output = Math.min(wanted, maxTokens);
    count(request, output);
    const ending = output < wanted ? [finish('length')] : [];
    return [text(said), usage(inputTokensOf(request), output), ...ending];
  }

  scripted.respondWith((request) => {
    const asked = JSON.stringify(askedBy(request));
    const [, id = '', kind = ''] = /#(\d+) ([\w-]+)/.exec(asked) ?? [];
    arrival(id).resolve();
    seen.add(kind);
    const luck = random.below(20);
    // A refusal costs nothing, and is retried.
    if (luck === 0) return [status(503, { 'retry-after-ms': '1' })];
    if (luck === 1) {
      // Cut off while reasoning: it is charged, and retried.
      count(request, outputTokensOf('Let me think'));
      return [reasoning('Let me think'), cut];
    }
    if (kind === 'stop' && !isCheck(request)) {
      count(request, outputTokensOf('Well, let me'));
      return [text('Well, let me'), hang];
    }
    if (kind === 'stop-early' || kind === 'left-draft') {
      count(request, 0);
      return [open, hang];
    }
    if (isCheck(request)) return reply(request, JSON.stringify(complete));
    if (asksForJudgement(request)) return reply(request, '{"facts":[{"number":1,"holds":true}]}');
    if (kind === 'draft') return reply(request, '{"tools":[],"notes":["There is no API."]}');
    return reply(request, 'Done.');
  });
  return { counted, seen, arrived: (id: string) => arrival(id).promise };
}

async function act(id: number, kind: Kind, bots: { bot: string; agents: string[] }, arrived: Promise<void>) {
  const message = `#${id} ${kind}`;
  if (kind === 'run') {
    return (await trigger(service, bots.agents[id % bots.agents.length] ?? '', { payload: message })).status;
  }
  if (kind.endsWith('draft')) return draft(message, kind === 'left-draft' ? arrived : undefined);
  const sent = await chat.send({ bot_id: bots.bot, message });
  if (sent.status !== 200) return sent.status;
  const { data } = await sent.until('turn.started', 120_000);
  const isOver = sent.until(({ event }) => event === 'turn.failed' || event === 'turn.completed', 120_000);
  if (kind === 'turn') await isOver;
  else {
    const begun = kind === 'stop' ? sent.until('message.delta', 120_000) : arrived;
    // Unless every attempt failed, or there was no money for one.
    await Promise.race([begun.catch(() => undefined), isOver.catch(() => undefined)]);
    await service.call('POST /api/v1/chat/stop', { body: { conversation_id: data.conversation_id } });
  }
  await sent.ended(120_000);
  return 200;
}

/** Callers that disconnect do so once the provider has the request. */
async function draft(documentation: string, leaveAfter: Promise<void> | undefined): Promise<number> {
  const gone = new AbortController();
  const answer = fetch(`${service.url}/api/v1/tools/discover`, {
    method: 'POST',
    signal: gone.signal,
    headers: {
      authorization: `Bearer ${service.key}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({ documentation }),
  }).then(async (response) => {
    await response.text();
    return response.status;
  });
  const left = leaveAfter?.then(() => {
    gone.abort();
    return 499;
  });
  return Promise.race([answer.catch(() => 499), ...(left ? [left] : [])]);
}

async function countOf(query: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await service.database.acrossWorkspaces.execute<{ count: number }>(query);
  return rows[0]?.count ?? -1;
}

it(`spends what the provider counts and never more than there is (seed ${seed})`, async () => {
  const random = createRandom(seed);
  const bot = await chat.bot();
  const agents = await Promise.all(upTo(10).map(() => makeAgent(service)));
  await service.call(`POST /api/v1/bots/${bot}/scenarios`, {
    body: { name: 'x', turns: ['#9999 turn'], expected_facts: ['It is done.'] },
  });
  const provider = playProvider(random);
  // One of each kind first, so that all of them take part.
  const plan = upTo(200).map((id) => ({
    id,
    kind: kinds[id - 1] ?? kinds[random.below(kinds.length)] ?? 'turn',
  }));
  const begin = ({ id, kind }: { id: number; kind: Kind }) =>
    act(id, kind, { bot, agents }, provider.arrived(String(id)));

  const evaluated = service.call(`POST /api/v1/bots/${bot}/evaluations`);
  const first = plan.slice(0, kinds.length).map(begin);
  await Promise.all(upTo(kinds.length).map((id) => provider.arrived(String(id))));
  const outcomes = await Promise.all([...first, ...plan.slice(kinds.length).map(begin)]);
  await evaluated;
  const isQuiet = async () => ({
    turns: await countOf(sql`select count(*)::int from turns where status in ('running', 'paused')`),
    evaluations: await countOf(
      sql`select count(*)::int from evaluations where status in ('pending', 'running')`,
    ),
    reserved: (await accountOf(service.database)).reserved,
  });
  await expect
    .poll(isQuiet, { interval: 100, timeout: 120_000 })
    .toEqual({ turns: 0, evaluations: 0, reserved: 0 });

  const recorded = await recordedIn(service.database);
  const sum = (pick: 'input' | 'output') => recorded.reduce((total, one) => total + one[pick], 0);
  expect({ requests: recorded.length, input: sum('input'), output: sum('output') }).toEqual(provider.counted);
  const { settled } = await accountOf(service.database);
  expect(settled).toBeCloseTo(
    recorded.reduce((total, { cost }) => total + (cost ?? 0), 0),
    9,
  );
  expect(settled).toBeLessThanOrEqual(creditUsd);
  expect(await countOf(sql`select count(*)::int from billing_reservations`)).toBe(0);

  // Otherwise there was no race: every kind must have begun, and the balance must have been too small for all.
  expect(provider.seen).toEqual(new Set(kinds));
  expect(outcomes.filter((code) => code === 402).length).toBeGreaterThan(10);
  expect(settled).toBeGreaterThan(creditUsd * 0.25);
});
