import type { Section } from '../chat/section.ts';
import { compare, type Metric, type Sample } from '../support/compare.ts';
import { atDesk, type Desk, longestTaskOf } from './desk.ts';

const lengths = { short: 20, long: 2_000 };
const metrics: Metric[] = [
  { name: 'ready', label: 'complete ms', better: 'less', digits: 0, goal: { ratio: 3 } },
  { name: 'opening', label: 'longest task ms: opening', digits: 0, goal: { most: 1_000 } },
  { name: 'streaming', label: 'longest task ms: a reply arrives', digits: 0, goal: { most: 100 } },
  { name: 'scrolling', label: 'longest task ms: scrolling', digits: 0, goal: { most: 100 } },
];

/** The page of a conversation with 2,000 messages, beside one with 20. */
export const longConversation: Section = ({ rounds, quick, say }) =>
  atDesk(async (desk) => {
    const ours = await converse(desk, quick ? lengths.long / 10 : lengths.long);
    const baseline = await converse(desk, lengths.short);
    await slowDown(desk);
    return [
      await compare({
        title: 'A conversation of 2,000 messages, beside one of 20',
        metrics,
        rounds,
        baseline: () => read(desk, baseline),
        ours: () => read(desk, ours),
        onRound: say,
      }),
    ];
  });

async function read(desk: Desk, conversationId: string): Promise<Sample> {
  const { service, owner } = desk;
  const { context, page } = await desk.openBrowser();
  const startedAt = performance.now();
  await page.goto(`${service.url}/w/${owner.workspaceId}/conversations/${conversationId}`);
  const log = page.getByRole('log');
  await log.waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  const ready = performance.now() - startedAt;
  const opening = await longestTaskOf(page);

  const question = crypto.randomUUID();
  await send(desk, { conversation_id: conversationId, message: question, bot_id: service.bot['at-once'] });
  await log.getByText(question).waitFor();
  const streaming = await longestTaskOf(page);

  await log.hover();
  for (let step = 0; step < 30; step += 1) await page.mouse.wheel(0, -2_000);
  await page.waitForTimeout(300);
  const scrolling = await longestTaskOf(page);
  await context.close();
  return { ready, opening, streaming, scrolling };
}

/** Talks until the conversation has so many messages. */
async function converse(desk: Desk, length: number): Promise<string> {
  const message = 'Where is my parcel? It was sent on Monday.\n\n- order 4711\n- two pairs of **headphones**';
  let id: string | undefined;
  for (let messages = 0; messages < length; messages += 2) {
    const place = id === undefined ? { new_conversation: true } : { conversation_id: id };
    const text = await send(desk, { ...place, message, bot_id: desk.service.bot['at-once'] });
    id ??= /"conversation_id":"([^"]+)"/.exec(text)?.[1];
  }
  if (id === undefined) throw new Error('The conversation has no id.');
  return id;
}

/** From now on replies arrive token by token. */
async function slowDown({ service: { url, key, bot } }: Desk): Promise<void> {
  const answer = await fetch(`${url}/api/v1/bots/${bot['at-once']}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/paced' }),
  });
  if (!answer.ok) throw new Error(`The bot was not changed: ${await answer.text()}`);
}

async function send({ service: { url, key } }: Desk, body: object): Promise<string> {
  const answer = await fetch(`${url}/api/v1/chat/send-stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ external_user_id: 'customer-17', ...body }),
  });
  const text = await answer.text();
  if (!answer.ok || !text.includes('turn.completed')) throw new Error(`No answer: ${text.slice(0, 500)}`);
  return text;
}
