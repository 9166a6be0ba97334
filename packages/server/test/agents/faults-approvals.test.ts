import { afterAll, beforeAll, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { giveTools, isCheck, makeAgent, startRun } from '../support/agents.ts';
import { askedBy } from '../support/chat.ts';
import { blockCommits } from '../support/faults/commits.ts';
import { createFleet, key } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import type { Answer, Call } from '../support/test-app.ts';

/** Where a run that asks a person is killed, and whether PostgreSQL still commits the pending write. */
const kills = [
  { name: 'asking, kept', at: 'pause', outcome: 'kept' },
  { name: 'asking, lost', at: 'pause', outcome: 'lost' },
  { name: 'answered, kept', at: 'answer', outcome: 'kept' },
  { name: 'answered, lost', at: 'answer', outcome: 'lost' },
] as const;
/** The reply is the first step, the question the second; an answer changes the turn but is not a step. */
const pausedAfter = 2;

const fleet = createFleet();
const paid: string[] = [];
let outside: OutsideServer;
let model: ScriptedModel;
let service: ServiceProcess;
let call: Call;

beforeAll(async () => {
  outside = await startOutsideServer((request, response) => {
    paid.push(decodeURIComponent(request.url ?? ''));
    response.writeHead(200, { 'content-type': 'text/plain' }).end('Paid.');
  });
  model = await startScriptedModel();
  model.respondWith((request) => {
    if (isCheck(request)) return [text('{"verdict":"complete"}')];
    return askedBy(request).at(-1)?.role === 'tool' ? [text('It is paid.')] : [toolCall('pay', {})];
  });
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

async function makePayer(name: string): Promise<string> {
  const agentId = await makeAgent({ call }, { name });
  const configuration = {
    method: 'POST',
    url: `${outside.url}/${encodeURIComponent(name)}`,
    parameters: { type: 'object', properties: {} },
    approval: 'always',
  };
  await giveTools({ call }, agentId, [{ tool_type: 'http_request', name: 'pay', configuration }]);
  return agentId;
}

const pending = async (conversationId: string): Promise<{ id: string }[]> =>
  (await call(`GET /api/v1/hitl?conversation_id=${conversationId}`)).body;
const asks = (conversationId: string) =>
  until('it asks', async () => (await pending(conversationId)).length === 1, {
    detail: () => service.output(),
  });
/** A killed process never answers. */
const approve = (approvalId: string): Promise<Answer | undefined> =>
  call(`POST /api/v1/hitl/${approvalId}/respond`, { body: { action: 'approve' } }).catch(() => undefined);

it('a run that asks a person survives a kill -9, and what was approved runs once', async () => {
  const commits = await blockCommits(await fleet.connection());
  const runs: {
    name: string;
    at: string;
    outcome: 'kept' | 'lost';
    agentId: string;
    conversationId: string;
  }[] = [];
  for (const kill of kills) {
    const agentId = await makePayer(kill.name);
    if (kill.at === 'pause') await commits.block(agentId, pausedAfter);
    runs.push({ ...kill, agentId, conversationId: await startRun({ call }, agentId) });
  }
  const answers: Promise<Answer | undefined>[] = [];
  for (const { at, agentId, conversationId } of runs.filter((run) => run.at === 'answer')) {
    await asks(conversationId);
    await commits.block(agentId, pausedAfter);
    const [approval] = await pending(conversationId);
    answers.push(approve(approval?.id ?? at));
  }
  await commits.allBlocked();
  await service.end('SIGKILL');
  for (const { agentId, outcome } of runs) await commits.settle(agentId, outcome);
  await commits.end();
  await Promise.all(answers);
  await start();

  for (const { name, at, outcome, conversationId } of runs) {
    // A committed answer counts; in every other case the person is asked again.
    if (at === 'pause' || outcome === 'lost') {
      await asks(conversationId);
      expect((await call(`GET /api/v1/conversations/${conversationId}`)).body.status, name).toBe('paused');
      const [approval] = await pending(conversationId);
      expect(await approve(approval?.id ?? ''), name).toMatchObject({ status: 200 });
    }
    const read = async () => (await call(`GET /api/v1/conversations/${conversationId}`)).body;
    await until(`${name} is complete`, async () => (await read()).status === 'completed', {
      detail: () => service.output(),
    });
    expect(await read(), name).toMatchObject({ final_output: 'It is paid.', run: { iterations: 2 } });
    expect(
      paid.filter((path) => path === `/${name}`),
      name,
    ).toHaveLength(1);
  }
});
