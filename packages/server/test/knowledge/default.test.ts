import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith } from '../support/chat.ts';
import { until } from '../support/faults/until.ts';
import {
  makeDataDirectory,
  type ServiceProcess,
  startServiceProcess,
  stopLeftBehind,
} from '../support/service-process.ts';
import { docx } from './documents.ts';
import { knowledgeOf } from './user.ts';

/** With no configuration at all: embedded database, built-in model, built-in embeddings. */
let data: Awaited<ReturnType<typeof makeDataDirectory>>;
let service: ServiceProcess;
let key: string;
beforeAll(async () => {
  data = await makeDataDirectory();
  service = await startServiceProcess({ SVC_DATA_DIR: data.path });
  await service.ready();
  await until('the first key is there', () => service.firstKey() !== undefined);
  key = service.firstKey() ?? '';
});
afterAll(async () => {
  await service.end('SIGTERM');
  await stopLeftBehind(data.path);
  await data.remove();
});

it('answers from an uploaded file with the passage and its source', async () => {
  const as = () => ({ url: service.url, key, call: service.call(key) });
  const knowledge = knowledgeOf(as);
  const chat = chatWith(as);
  const bot = await chat.bot({ name: 'Guide' });
  const sayTo = async (message: string, fields: object) => {
    const { events, text, conversationId } = await chat.say({
      bot_id: bot,
      message,
      external_user_id: 'visitor',
      ...fields,
    });
    const last = events.findLast(({ event }) => event === 'message.completed');
    return { text: text ?? '', conversationId, citations: last?.data.message.citations };
  };

  const before = await sayTo('How long can I send something back?', { new_conversation: true });
  expect(before.citations).toEqual([]);
  expect(before.text).toMatch(/no knowledge that answers this/);
  expect(before.text).toContain('OPENAI_API_KEY');

  const file = await docx(
    'Shop rules',
    'You can send goods back within thirty days after they arrived.',
    'The shop is closed on Mondays and on public holidays.',
  );
  const id = await knowledge.addFile('rules.docx', file);
  expect(await knowledge.completed(id)).toMatchObject({ title: 'rules.docx' });

  const answer = await sayTo('How long can I send something back?', { new_conversation: true });
  expect(answer.text).toContain('> ');
  expect(answer.text).toContain('within thirty days');
  expect(answer.text).toContain('rules.docx › Shop rules [1]');
  expect(answer.text).toContain('OPENAI_API_KEY');
  expect(answer.citations).toMatchObject([
    {
      knowledge_id: id,
      title: 'rules.docx',
      source_url: null,
      quote: expect.stringContaining('thirty days'),
    },
  ]);

  const { conversationId } = answer;
  const next = await sayTo('On which days is the shop closed?', { conversation_id: conversationId });
  expect(next.text).toContain('closed on Mondays');
  expect(next.text).not.toContain('OPENAI_API_KEY');

  const off = await sayTo('Who painted the ceiling of that famous chapel?', {
    conversation_id: conversationId,
  });
  expect(off).toMatchObject({ text: expect.stringMatching(/no knowledge that answers this/), citations: [] });
});
