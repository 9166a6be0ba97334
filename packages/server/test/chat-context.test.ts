import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Script, status, text, usage } from './scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from './scripted-model/server.ts';
import { askedBy, canaryKey, chatWith, eventually, scriptedEnvironment, upTo } from './support/chat.ts';
import { isSummary } from './support/hand-played-model.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: {
      ...scriptedEnvironment(scripted),
      SVC_MODEL_PRICES: '{"openai/gpt-4":{"input":1,"output":1}}',
    },
  });
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

/** Its window has 8,192 tokens: half of them are for the history. */
const smallModel = 'openai/gpt-4';
const windowBytes = 8_192 * 4;
const filler = 'Lorem ipsum dolor sit amet. '.repeat(36);

const sizeOf = ({ body }: { body: object }) => Buffer.byteLength(JSON.stringify(body));
const largest = (requests: ScriptedRequest[]) => Math.max(...requests.map(sizeOf));

/** Whoever asks for a summary gets the one, everybody else the other. */
function answer(summary: Script | (() => Script)): void {
  const reply = [text(`A reply. ${filler}`), usage(100, 50)];
  const notes = typeof summary === 'function' ? summary : () => summary;
  scripted.respondWith(({ body }) => (isSummary(body) ? notes() : reply));
}

/** A conversation in which every message names it, so that its requests can be told from others'. */
async function begin() {
  const name = randomUUID();
  const user = { bot_id: await chat.bot({ model: smallModel }), external_user_id: name };
  let turns = 0;
  const requests = (wanted: boolean) =>
    scripted.requests.filter(({ body }) => isSummary(body) === wanted && JSON.stringify(body).includes(name));
  const say = async (message: string) => {
    const said = await chat.say({ ...user, message: `${name} ${message}` });
    expect(said.last.event).toBe('turn.completed');
    return said.conversationId;
  };
  return {
    say,
    async talk(count: number): Promise<string> {
      let id = '';
      for (let left = count; left > 0; left -= 1) id = await say(`Message ${(turns += 1)}. ${filler}`);
      return id;
    },
    summaries: () => requests(true),
    replies: () => requests(false),
    /** What the model is told first; a summary may still be on its way, so every look is a turn of its own. */
    lookAtSystem: async () => {
      await say('And now?');
      return askedBy(requests(false).at(-1))[0]?.content;
    },
  };
}

it('a long conversation is summarised by its own model, and goes on from the summary', async () => {
  answer([text('The user is Ann and likes figs.'), usage(1_000, 30)]);
  const { talk, say, summaries, replies } = await begin();
  const id = await talk(8);
  await eventually(() => summaries().length).toBe(1);
  const [asked] = summaries();
  expect(asked?.body).toMatchObject({ model: 'gpt-4' });
  const folded = askedBy(asked).at(-1)?.content ?? '';
  expect(folded).toMatch(/user: \S+ Message 1\./);
  expect(folded).toContain('assistant: A reply.');

  const stats = async () => (await service.call(`GET /api/v1/chat/stats?conversation_id=${id}`)).body;
  await eventually(async () => (await stats()).input_tokens).toBe(8 * 100 + 1_000);
  expect(await stats()).toMatchObject({ output_tokens: 8 * 50 + 30, cost_usd: '0.00223', turns: 8 });

  await say('What do I like?');
  const [system, ...latest] = askedBy(replies().at(-1));
  expect(system?.content).toBe(
    'Be kind.\n\nWhat was said before, in short:\nThe user is Ann and likes figs.',
  );
  expect(latest[0]?.role).toBe('user');
  // Everything is either in the summary or among the latest turns, and nothing in both.
  const kept = JSON.stringify(latest);
  const places = upTo(8).map((turn) => [folded, kept].map((place) => place.includes(`Message ${turn}.`)));
  expect(places.filter(([isFolded, isKept]) => isFolded === isKept)).toEqual([]);
  expect([places[0], places[7]]).toEqual([
    [true, false],
    [false, true],
  ]);
  const { body } = await service.call(`GET /api/v1/conversations/${id}`);
  expect(body.messages).toHaveLength(18);
  expect(body.messages[0].content).toContain('Message 1.');
});

it('a later summary takes the earlier one in', async () => {
  let count = 0;
  answer(() => [text(`Notes number ${(count += 1)}.`)]);
  const { talk, summaries, lookAtSystem } = await begin();
  await talk(20);
  const later = summaries()
    .map((request) => askedBy(request).at(-1)?.content ?? '')
    .filter((content) => content.startsWith('Earlier notes:\nNotes number'));
  expect(later.length).toBeGreaterThan(0);
  for (const content of later) expect(content).not.toContain('Message 1.');
  const hasTheLatest = async () => {
    const latest = count;
    return (await lookAtSystem())?.includes(`in short:\nNotes number ${latest}.`);
  };
  await eventually(hasTheLatest).toBe(true);
});

it('requests stay bounded over 60 turns', async () => {
  answer([text('Notes.')]);
  const { talk, summaries, replies } = await begin();
  await talk(60);
  expect(replies()).toHaveLength(60);
  expect(largest(replies())).toBeLessThan(windowBytes * 0.6);
  expect(largest(summaries())).toBeLessThan(windowBytes);
  expect(summaries().length).toBeLessThan(30);
});

it('a summary that fails does no harm, and is made up for later', async () => {
  const failure = { error: { message: `the-words-of-the-provider ${canaryKey}` } };
  let isBroken = true;
  answer(() => (isBroken ? [status(400, {}, failure)] : [text('Notes at last.')]));
  const { talk, summaries, replies, lookAtSystem } = await begin();
  await talk(30);
  expect(largest(replies())).toBeLessThan(windowBytes * 0.6);
  expect(summaries().length).toBeGreaterThan(5);
  isBroken = false;
  await eventually(lookAtSystem).toContain('Notes at last.');
  // What has piled up is more than the model can read at once.
  expect(largest(summaries())).toBeLessThan(windowBytes);
  for (const secret of [canaryKey, 'the-words-of-the-provider']) {
    expect(service.logged.some((line) => line.includes(secret))).toBe(false);
  }
});

it('a single turn that is longer than the window is summarised all the same', async () => {
  answer([text('Long words.')]);
  const { say, summaries, lookAtSystem } = await begin();
  await say('東'.repeat(31_000));
  await say('x '.repeat(10_000));
  await eventually(lookAtSystem).toContain('Long words.');
  expect(largest(summaries())).toBeLessThan(windowBytes);
});
