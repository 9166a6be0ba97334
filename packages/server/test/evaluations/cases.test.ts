import { beforeEach, describe, expect, it } from 'vitest';
import { status, text, toolCall, usage } from '../scripted-model/script.ts';
import { askedBy } from '../support/chat.ts';
import { asksForJudgement, judged, lastSaid, playBot } from '../support/evaluating.ts';
import { useEvaluations } from './use-evaluations.ts';

const setup = useEvaluations();
let botId: string;
const { chat, scenario, evaluate } = setup;
beforeEach(async () => {
  botId = await chat.bot({ system_prompt: 'You are a host.' });
});

const judgements = () => setup.scripted.requests.filter(asksForJudgement);

describe('a case', () => {
  it('passes when its turns are answered and nothing more is expected', async () => {
    const id = await scenario(botId, { name: 'Small talk', turns: ['Hello', 'And now?'] });
    playBot(setup.scripted, { reply: (request) => [text(`Re: ${lastSaid(request)}`), usage(7, 3)] });
    const report = await evaluate(botId);
    expect(report).toMatchObject({
      bot_id: botId,
      version: 1,
      status: 'completed',
      counts: { total: 1, passed: 1, failed: 0, error: 0, skipped: 0, pending: 0 },
      error: null,
      usage: { input_tokens: 14, cached_input_tokens: 0, output_tokens: 6 },
      created_by: expect.any(String),
      ended_at: expect.any(String),
      cases: [
        {
          scenario_id: id,
          name: 'Small talk',
          status: 'passed',
          reasons: [],
          facts: [],
          usage: { input_tokens: 14, output_tokens: 6 },
          started_at: expect.any(String),
          ended_at: expect.any(String),
        },
      ],
    });
    const said = report.cases[0].transcript.map(({ role, content }: Record<string, string>) => [
      role,
      content,
    ]);
    expect(said).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Re: Hello'],
      ['user', 'And now?'],
      ['assistant', 'Re: And now?'],
    ]);
    expect(judgements()).toEqual([]);
    expect(askedBy(setup.scripted.requests[1]).map(({ content }) => content)).toEqual([
      'You are a host.',
      'Hello',
      'Re: Hello',
      'And now?',
    ]);
  });

  it('fails when a fact is missing, with the judge’s explanation', async () => {
    const facts = ['It names Cologne.', 'It is polite.'];
    await scenario(botId, { turns: ['Where?', 'Really?'], expected_facts: facts });
    playBot(setup.scripted, {
      reply: () => [text('It is in Bonn, dear guest.'), usage(10, 5)],
      judge: () => [
        ...(judged(
          { number: 2, holds: true, explanation: 'It says "dear guest".' },
          { number: 1, holds: false, explanation: 'It names Bonn.' },
        ) as []),
        usage(100, 20),
      ],
    });
    const { cases, usage: used } = await evaluate(botId);
    expect(cases).toMatchObject([
      {
        status: 'failed',
        reasons: [{ kind: 'fact_missing', fact: 'It names Cologne.', message: 'It names Bonn.' }],
        facts: [
          { fact: 'It names Cologne.', holds: false, explanation: 'It names Bonn.' },
          { fact: 'It is polite.', holds: true, explanation: 'It says "dear guest".' },
        ],
      },
    ]);
    expect(used).toEqual({ input_tokens: 120, cached_input_tokens: 0, output_tokens: 30 });
    expect(judgements()).toHaveLength(1);
    const question = askedBy(judgements()[0])[1]?.content ?? '';
    expect(question).toContain('{"assistant":"It is in Bonn, dear guest."}');
    expect(question).toContain('1. "It names Cologne."');
    expect(question).not.toContain('You are a host.');
  });

  it('is judged once more when the judgement cannot be parsed', async () => {
    await scenario(botId, { expected_facts: ['a', 'b'] });
    const answers = [
      judged({ number: 1, holds: true }),
      [text('```json\n{"facts":[{"number":1,"holds":true},{"number":2,"holds":true}]}\n```')],
    ];
    playBot(setup.scripted, { judge: () => answers.shift() ?? [] });
    expect((await evaluate(botId)).cases).toMatchObject([{ status: 'passed' }]);
    expect(askedBy(judgements()[1]).at(-1)?.content).toContain('fact 2');
  });

  it('is an error, never a pass, when the judge cannot answer', async () => {
    await scenario(botId, { expected_facts: ['a'], must_call: ['find'] });
    playBot(setup.scripted, { judge: () => [text('I would rather not say.'), usage(50, 5)] });
    const unreadable = await evaluate(botId);
    expect(unreadable).toMatchObject({
      status: 'completed',
      counts: { passed: 0, error: 1 },
      cases: [
        {
          status: 'error',
          facts: [],
          reasons: [
            {
              kind: 'error',
              code: 'UPSTREAM_FAILED',
              message: expect.stringContaining('could not be judged'),
            },
            { kind: 'not_called', function: 'find' },
          ],
        },
      ],
    });
    expect(judgements()).toHaveLength(2);
    // Both answers of the judge are paid for.
    expect(unreadable.usage.input_tokens).toBeGreaterThanOrEqual(100);

    playBot(setup.scripted, { judge: () => [status(400, {}, { error: { message: 'no' } })] });
    expect((await evaluate(botId)).cases).toMatchObject([
      { status: 'error', reasons: [{ kind: 'error', code: 'MODEL_REJECTED' }, { kind: 'not_called' }] },
    ]);
  });

  it('is an error when a turn fails, and the next case runs anyway', async () => {
    await scenario(botId, { name: 'Breaks', turns: ['Break', 'Never said'], expected_facts: ['a'] });
    await scenario(botId, { name: 'Works' });
    playBot(setup.scripted, {
      reply: (request) =>
        lastSaid(request) === 'Break'
          ? [status(400, {}, { error: { message: 'provider words' } })]
          : [text('Fine.')],
    });
    const report = await evaluate(botId);
    expect(report).toMatchObject({
      status: 'completed',
      counts: { total: 2, passed: 1, error: 1 },
      cases: [
        { name: 'Breaks', status: 'error', reasons: [{ kind: 'error', code: 'MODEL_REJECTED' }] },
        { name: 'Works', status: 'passed' },
      ],
    });
    expect(judgements()).toEqual([]);
    expect(JSON.stringify(setup.scripted.requests.map(askedBy))).not.toContain('Never said');
  });

  it('checks which functions were called', async () => {
    const assignments = [{ tool_type: 'calculator' }, { tool_type: 'handoff' }];
    await setup.service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
    await scenario(botId, {
      name: 'Good',
      turns: ['sum'],
      must_call: ['calculator'],
      must_not_call: ['handoff'],
    });
    await scenario(botId, {
      name: 'Bad',
      turns: ['give up'],
      must_call: ['calculator'],
      must_not_call: ['handoff'],
    });
    await scenario(botId, { name: 'Wrong', turns: ['wrong'], must_call: ['calculator'] });
    playBot(setup.scripted, {
      reply: (request) => {
        if (askedBy(request).at(-1)?.role === 'tool') return [text('Done.')];
        if (lastSaid(request) === 'sum') return [toolCall('calculator', { expression: '2 + 2' })];
        if (lastSaid(request) === 'wrong') return [toolCall('calculator', { sum: true })];
        return [toolCall('handoff', { reason: 'x' })];
      },
    });
    expect((await evaluate(botId)).cases).toMatchObject([
      { name: 'Good', status: 'passed', reasons: [] },
      {
        name: 'Bad',
        status: 'failed',
        reasons: [
          { kind: 'not_called', function: 'calculator', message: 'calculator was not called.' },
          { kind: 'called', function: 'handoff', message: 'handoff was called.' },
        ],
      },
      { name: 'Wrong', status: 'failed', reasons: [{ kind: 'not_called', function: 'calculator' }] },
    ]);
  });

  it('is judged on a whole long conversation, shortened to fit the model', async () => {
    const long = 'word '.repeat(6_000);
    await scenario(botId, { turns: [long, long], expected_facts: ['It ends with Amen.'] });
    playBot(setup.scripted, { reply: () => [text(`${'x'.repeat(150_000)} Amen.`)] });
    const { cases } = await evaluate(botId);
    expect(cases[0].status).toBe('passed');
    const question = askedBy(judgements()[0])[1]?.content ?? '';
    expect(question.length).toBeLessThan(200_000);
    expect(question).toContain('Amen.');
    expect(cases[0].transcript[1].content.length).toBeLessThan(4_100);
  });
});
