import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cut, status, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { complete, giveTools, incomplete, makeAgent, playAgent, runToItsEnd } from '../support/agents.ts';
import { askedBy, chatWith, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(() => scripted.reset());

const add = (left: number, right: number) => toolCall('calculator', { expression: `${left} + ${right}` });
const lines = (question: string) =>
  question
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

async function calculatingAgent(fields: object = {}): Promise<string> {
  const agentId = await makeAgent(service, fields);
  await giveTools(service, agentId, ['calculator']);
  return agentId;
}

async function traceOf(conversationId: string) {
  return (await service.call(`GET /api/v1/conversations/${conversationId}/trace`)).body.steps;
}

describe('the completion check', () => {
  it('is asked of the same model about what the tools returned', async () => {
    const played = playAgent(scripted, [[add(20, 22)], [text('It is 42.')]]);
    const agentId = await calculatingAgent({ agent_goal: 'Add 20 and 22.', model: 'openai/gpt-4o-mini' });
    await runToItsEnd(service, agentId, { payload: 'Be quick.' });
    expect(played.checks()).toHaveLength(1);
    const [check] = played.checks();
    expect(check?.body['model']).toBe('gpt-4o-mini');
    // A server that only speaks the wire format may not support JSON mode.
    expect(check?.body['response_format']).toBeUndefined();
    expect(check?.body['tools']).toBeUndefined();
    const [, question] = askedBy(check);
    expect(question?.content).toContain('Add 20 and 22.\\n\\nTrigger payload:\\nBe quick.');
    expect(question?.content).toContain('"It is 42."');
    const evidence = lines(question?.content ?? '');
    expect(evidence).toEqual([
      {
        tool: 'calculator',
        arguments: '{"expression":"20 + 22"}',
        outcome: 'ok',
        returned: expect.stringContaining('42'),
      },
    ]);
  });

  it('sends back an agent that only claims to be done, and names what is missing', async () => {
    const played = playAgent(
      scripted,
      [[text('I added them.')], [add(1, 2)], [text('It is 3.')]],
      [incomplete('The sum was never calculated.'), complete],
    );
    const conversation = await runToItsEnd(service, await calculatingAgent());
    expect(conversation).toMatchObject({
      status: 'completed',
      final_output: 'It is 3.',
      run: { iterations: 3 },
    });
    const [sentBack] = conversation.messages.filter(({ role }: { role: string }) => role === 'user').slice(1);
    expect(sentBack.content).toContain('- The sum was never calculated.');
    const told = askedBy(played.asked()[1]);
    expect(told.at(-2)).toEqual({ role: 'assistant', content: 'I added them.' });
    expect(told.at(-1)).toEqual({ role: 'user', content: sentBack.content });
    // The goal is the original one, without the later send-backs.
    expect(askedBy(played.checks()[1]).at(-1)?.content).toContain('The goal:\n"Count the stars."');
    expect(namesOf(await chat.log(conversation.id))).toEqual([
      'turn.started',
      'message.completed',
      'message.completed',
      'message.completed',
      'tool.started',
      'tool.completed',
      'message.completed',
      'turn.completed',
    ]);
  });

  it('is shown the outcome of calls that confirm nothing', async () => {
    const played = playAgent(scripted, [
      [toolCall('calculator', { expression: '1 / 0' })],
      [text('Infinity.')],
    ]);
    await runToItsEnd(service, await calculatingAgent());
    const [call] = lines(askedBy(played.checks()[0]).at(-1)?.content ?? '');
    expect(call).toMatchObject({ tool: 'calculator', outcome: 'error' });
  });

  it('never lets a run complete on an incomplete verdict, and does not ask forever', async () => {
    const played = playAgent(scripted, [[text('Done!')]], [incomplete('everything')]);
    const conversation = await runToItsEnd(service, await makeAgent(service, { max_iterations: 4 }));
    expect(conversation).toMatchObject({
      status: 'max_iterations_reached',
      final_output: null,
      run: { iterations: 4, error: { code: 'MAX_ITERATIONS_REACHED' } },
    });
    expect(played.asked()).toHaveLength(4);
    expect(played.checks()).toHaveLength(4);
    expect(conversation.messages.at(-1).content).toContain('- everything');
  });

  it.each([
    ['in a fence', `\`\`\`json\n${JSON.stringify(complete)}\n\`\`\``],
    ['among words', `My verdict is ${JSON.stringify(complete)}, I am sure.`],
  ])('reads a verdict %s', async (_how, verdict) => {
    const played = playAgent(scripted, [[text('Done.')]], [verdict]);
    expect(await runToItsEnd(service, await makeAgent(service))).toMatchObject({ status: 'completed' });
    expect(played.checks()).toHaveLength(1);
  });

  it('asks once more when the verdict cannot be parsed', async () => {
    const played = playAgent(scripted, [[text('Done.')]], ['It looks fine to me!', complete]);
    expect(await runToItsEnd(service, await makeAgent(service))).toMatchObject({ status: 'completed' });
    expect(played.checks()).toHaveLength(2);
    const again = askedBy(played.checks()[1]);
    expect(again.slice(0, 2)).toEqual(askedBy(played.checks()[0]));
    expect(again[2]).toEqual({ role: 'assistant', content: 'It looks fine to me!' });
    expect(again[3]?.content).toContain('The answer is not valid JSON');
  });

  it('asks once more when the verdict was cut off', async () => {
    const played = playAgent(scripted, [[text('Done.')]], [[text('{"verdict": "comp'), cut], complete]);
    expect(await runToItsEnd(service, await makeAgent(service))).toMatchObject({ status: 'completed' });
    expect(played.checks()).toHaveLength(2);
  });

  it.each([
    ['nonsense', ['Fine!', 'Really fine!']],
    ['a contradiction', [{ verdict: 'complete', missing: ['the mail'] }]],
  ])('that gets nothing but %s fails the run', async (_what, verdicts) => {
    const played = playAgent(scripted, [[text('Done.')]], verdicts);
    const conversation = await runToItsEnd(service, await makeAgent(service));
    expect(conversation).toMatchObject({
      status: 'failed',
      final_output: null,
      run: {
        iterations: 1,
        error: {
          code: 'GOAL_CHECK_FAILED',
          message:
            'Whether the goal was reached could not be checked: the model gave no verdict that can be read.',
        },
      },
    });
    expect(played.checks()).toHaveLength(2);
    // Both answers are paid for.
    const stats = await service.call(`GET /api/v1/chat/stats?conversation_id=${conversation.id}`);
    expect(stats.body.input_tokens).toBe(30);
  });

  it('that the model cannot answer fails the run', async () => {
    playAgent(scripted, [[text('Done.')]], [[status(400, {}, { error: { message: 'no' } })]]);
    const conversation = await runToItsEnd(service, await makeAgent(service));
    expect(conversation).toMatchObject({
      status: 'failed',
      run: {
        error: {
          code: 'GOAL_CHECK_FAILED',
          message:
            'Whether the goal was reached could not be checked: The model provider openai refused the request with status 400.',
        },
      },
    });
    // The provider would refuse the same question again.
    const log = await service.call(`GET /api/v1/chat/events?conversation_id=${conversation.id}&after=0`);
    const failed = log.body.find(({ event }: { event: string }) => event === 'turn.failed');
    expect(failed.data.error).toMatchObject({ code: 'GOAL_CHECK_FAILED', retryable: false });
  });
});

describe('in the trace', () => {
  it('the check is shown with its verdict', async () => {
    const played = playAgent(scripted, [[text('Done.')]], [incomplete('the sum'), complete]);
    const { id } = await runToItsEnd(service, await makeAgent(service, { enable_agent_tracing: true }));
    const steps = await traceOf(id);
    expect(steps.map(({ type }: { type: string }) => type)).toEqual([
      'model',
      'goal_completion_check',
      'model',
      'goal_completion_check',
    ]);
    const [system, ...messages] = askedBy(played.checks()[0]);
    expect(steps[1]).toMatchObject({
      name: 'Goal Completion Check',
      status: 'ok',
      input: { system: system?.content, messages },
      output: { verdict: 'incomplete', missing: ['the sum'] },
      usage: { input_tokens: 10 },
      error: null,
    });
    expect(steps[3].output).toEqual({ verdict: 'complete', missing: [] });
  });

  it('a check that failed says why', async () => {
    playAgent(scripted, [[text('Done.')]], ['Fine!']);
    const { id } = await runToItsEnd(service, await makeAgent(service, { enable_agent_tracing: true }));
    expect((await traceOf(id)).at(-1)).toMatchObject({
      type: 'goal_completion_check',
      status: 'error',
      output: null,
      error: expect.stringContaining('no verdict that can be read'),
    });
  });

  it('there is nothing when it is off', async () => {
    playAgent(scripted, [[text('Done.')]]);
    const { id } = await runToItsEnd(service, await makeAgent(service));
    expect(await traceOf(id)).toEqual([]);
  });
});
