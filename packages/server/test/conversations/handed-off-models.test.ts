import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../scripted-model/server.ts';
import { canaryKey, chatWith, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: {
      ...scriptedEnvironment(scripted),
      ANTHROPIC_API_KEY: canaryKey,
      ANTHROPIC_BASE_URL: scripted.url('anthropic'),
      GOOGLE_GENERATIVE_AI_API_KEY: canaryKey,
      GOOGLE_BASE_URL: scripted.url('google'),
    },
  });
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const operator = (content: string) => `<operator_message>\n${content}\n</operator_message>`;
const written = [
  'Is anybody there?',
  'Hello?',
  operator('Ann here. Granted.'),
  'Thank you!',
  operator('Bye.'),
];

/** The last six messages that a wire carries, as role and texts. */
function lastMessages({ body }: ScriptedRequest): [role: string, ...texts: string[]][] {
  const messages = (body['messages'] ?? body['contents']) as {
    role: string;
    content?: unknown;
    parts?: unknown;
  }[];
  return messages.slice(-6).map(({ role, content, parts }) => {
    const texts = typeof content === 'string' ? [content] : ((parts ?? content) as { text?: string }[]);
    return [role, ...texts.map((part) => (typeof part === 'string' ? part : (part.text ?? '')))];
  });
}

it.each([
  ['openai/gpt-4o', [['assistant', 'Somebody comes.'], ...written.map((one) => ['user', one])]],
  [
    'anthropic/claude-sonnet-4-5',
    [
      ['assistant', 'Somebody comes.'],
      ['user', ...written],
    ],
  ],
  [
    'google/gemini-2.5-flash',
    [
      ['model', 'Somebody comes.'],
      ['user', ...written],
    ],
  ],
])(
  '%s: once the conversation is returned, the bot sees what both sides wrote, in order',
  async (model, expected) => {
    const bot = await chat.bot({ model });
    const body = { bot_id: bot, assignments: [{ tool_type: 'handoff' }] };
    await service.call('POST /api/v1/tools/assign', { body });
    const user = { bot_id: bot, external_user_id: randomUUID() };
    scripted.enqueue([toolCall('handoff', { reason: 'Wants a refund' })], [text('Somebody comes.')]);
    const { conversationId: id } = await chat.say({ ...user, message: 'A person, please' });
    scripted.reset();
    const write = (content: string) =>
      service.call(`POST /api/v1/conversations/${id}/messages`, {
        body: { content, author_name: 'Secret Name' },
      });
    await chat.say({ ...user, message: 'Is anybody there?' });
    await chat.say({ ...user, message: 'Hello?' });
    expect((await write('Ann here. Granted.')).status).toBe(201);
    await chat.say({ ...user, message: 'Thank you!' });
    await write('Bye.');
    expect(scripted.requests).toEqual([]);

    await service.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: null } });
    scripted.enqueue([text('Anything else?')]);
    const turn = await chat.say({ ...user, message: 'One more thing' });
    expect(turn).toMatchObject({ text: 'Anything else?', last: { data: { handed_off: false } } });
    const [request] = scripted.requests;
    if (!request) throw new Error('the model was not asked');
    const last = expected.at(-1) ?? [];
    const whole = model.startsWith('openai/')
      ? [...expected.slice(1), ['user', 'One more thing']]
      : [...expected.slice(0, -1), [...last, 'One more thing']];
    expect(lastMessages(request).slice(-whole.length)).toEqual(whole);
    expect(JSON.stringify(request.body)).not.toContain('Secret Name');
  },
);
