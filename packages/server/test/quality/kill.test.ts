import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Script, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../scripted-model/server.ts';
import { connectTo, lockRow } from '../support/faults/locks.ts';
import { conversationOf, createFleet, key, readStored } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { assignTools, claims, isGrading, isValidation, score } from '../support/quality.ts';
import type { ServiceProcess } from '../support/service-process.ts';

/** The state of a conversation when the process is killed. */
type Place = 'grading' | 'writing' | 'validating';

const fleet = createFleet();
const conversations = new Map<Place, string>();
let model: ScriptedModel;
let service: ServiceProcess;

const slowly = (script: Script): Script => [{ type: 'delay', milliseconds: 2_000 }, ...(script as [])];
const silent: Script = [{ type: 'open' }, { type: 'hang' }];

const kindOf = ({ body }: ScriptedRequest) => {
  if (isGrading(body)) return 'grade';
  return isValidation(body) ? 'verdict' : 'reply';
};
const requests = (place: Place, kind: string) =>
  model.requests.filter((one) => kindOf(one) === kind && JSON.stringify(one.body).includes(`now ${place}`));

/** The first attempt gets as far as the test needs before the kill; the second one succeeds. */
function answer(request: ScriptedRequest): Script {
  const body = JSON.stringify(request.body);
  const place = (['grading', 'writing', 'validating'] as const).find((one) => body.includes(`now ${one}`));
  const kind = kindOf(request);
  if (!place) return kind === 'grade' ? score(1) : [text('Before.')];
  const isFirst = requests(place, kind).length === 1;
  if (kind === 'verdict') return isFirst ? silent : claims('made up');
  if (kind === 'grade' && place === 'grading') return isFirst ? silent : score(0.9);
  if (kind === 'grade') return isFirst ? slowly(score(0.1)) : score(0.8);
  if (place === 'validating') {
    return body.includes('"role":"tool"')
      ? [text('It is 42.')]
      : [toolCall('calculator', { expression: '6 * 7' })];
  }
  return [text(isFirst ? 'First words.' : 'Second words.')];
}

async function start(): Promise<void> {
  service = await fleet.start({ OPENAI_BASE_URL: model.url('openai') });
}

async function makeBot(settings: object): Promise<string> {
  const body = { name: 'Watched', system_prompt: 'Continue.', ...settings };
  const { body: bot } = await service.call(key)('POST /api/v1/bots', { body });
  await assignTools(service.call(key), bot.id, [{ tool_type: 'calculator' }]);
  return bot.id;
}

beforeAll(async () => {
  model = await startScriptedModel();
  model.respondWith(answer);
  await start();
  const graded = await makeBot({ enable_confidence_scoring: true });
  const watched = await makeBot({ enable_response_validation: true, enable_agent_tracing: true });

  const before = fleet.send(service, { message: 'before', bot_id: graded, new_conversation: true });
  conversations.set('writing', await conversationOf(before));
  await before.closed;
  const writing = { message: 'now writing', conversation_id: conversations.get('writing') ?? '' };
  await conversationOf(fleet.send(service, writing));
  // The grade takes its time: from here on the reply cannot be written.
  const locked = await lockRow(
    await fleet.connection(),
    'conversations',
    `id = '${conversations.get('writing')}'`,
  );
  for (const place of ['grading', 'validating'] as const) {
    const bot = place === 'grading' ? graded : watched;
    const sent = fleet.send(service, { message: `now ${place}`, bot_id: bot, new_conversation: true });
    conversations.set(place, await conversationOf(sent));
  }
  await locked.blocks();
  await until('a grade is asked for', () => requests('grading', 'grade').length === 1);
  await until('a verdict is asked for', () => requests('validating', 'verdict').length === 1);
  await service.end('SIGKILL');
  await locked.abort();
  await start();
});

afterAll(async () => {
  await fleet.end();
  await model.close();
});

async function rows<Row extends object>(statement: string, place: Place): Promise<Row[]> {
  const database = await connectTo(await fleet.connection());
  try {
    return (await database.query<Row>(statement, [conversations.get(place)])).rows;
  } finally {
    await database.end();
  }
}
const records = (place: Place) =>
  rows<Record<string, unknown>>(
    'select * from quality_records where conversation_id = $1 order by id',
    place,
  );
const stored = (place: Place) => readStored(service, conversations.get(place) ?? '');
const ended = (place: Place) =>
  expect.poll(async () => (await stored(place)).status, { interval: 200 }).toBe('idle');

it('kill -9 during grading: it replies and grades again, and nothing is written twice', async () => {
  await ended('grading');
  const { messages, events, stats } = await stored('grading');
  expect(messages.map(({ content }) => content)).toEqual(['now grading', 'Second words.']);
  expect(JSON.stringify(events)).not.toContain('First words.');
  expect(await records('grading')).toMatchObject([
    { score: 0.9, refused: false, message_id: messages[1]?.id },
  ]);
  expect(requests('grading', 'reply')).toHaveLength(2);
  // Ten input tokens each for the reply and the grade that were written, none for those that were lost.
  expect(stats).toMatchObject({ turns: 1, input_tokens: 20 });
});

it('kill -9 between grade and reply: neither exists without the other', async () => {
  await ended('writing');
  const { messages, stats } = await stored('writing');
  expect(messages.map(({ content }) => content)).toEqual([
    'before',
    'Before.',
    'now writing',
    'Second words.',
  ]);
  expect(await records('writing')).toMatchObject([
    { score: 1 },
    { score: 0.8, refused: false, refused_text: null, message_id: messages[3]?.id },
  ]);
  expect(stats).toMatchObject({ turns: 2, input_tokens: 40 });
});

it('kill -9 during validation: another process does it, once', async () => {
  const verdict = async () => (await records('validating'))[0]?.['verdict'];
  await expect.poll(verdict, { timeout: 150_000, interval: 500 }).toBe('unsupported');
  expect(await records('validating')).toMatchObject([
    { unsupported_claims: ['made up'], validation: 'validated' },
  ]);
  expect(requests('validating', 'verdict')).toHaveLength(2);
  const steps = await rows(
    "select 1 from trace_steps where type = 'validation' and conversation_id = $1",
    'validating',
  );
  expect(steps).toHaveLength(1);
  const { messages } = await stored('validating');
  expect(messages.at(-1)?.content).toBe('It is 42.');
});
