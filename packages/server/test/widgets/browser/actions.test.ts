import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ChatStage, startChatStage, type Visit } from './chat-stage.ts';

let stage: ChatStage;
const visits: Visit[] = [];
beforeAll(async () => {
  stage = await startChatStage();
});
afterAll(() => stage?.close());
afterEach(async () => {
  stage.model.autoplay();
  for (const { page } of visits.splice(0)) await page.close();
});

async function visit(...input: Parameters<ChatStage['visit']>): Promise<Visit> {
  const opened = await stage.visit(...input);
  visits.push(opened);
  return opened;
}

const until = (check: () => unknown) => expect.poll(check);
const answer = (text: string) =>
  stage.model.autoplay((reply) => {
    reply.write(text);
    reply.finish();
  });

it('rates an answer, which the team sees and the visitor finds again', async () => {
  const key = await stage.createBot();
  const { page, lines, write, button, open, sees } = await visit(key);
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  answer('It is on its way.');
  await write('Where is my parcel?');
  await button('Bad answer').click();
  const id = await stage.conversationOf(key.bot_id);
  const ratings = async () => {
    const { body } = await stage.service.call(`GET /api/v1/conversations/${id}`);
    return body.messages.map(({ rating }: { rating: unknown }) => rating);
  };
  await until(ratings).toEqual([null, null, 'down']);
  await page.getByLabel('What was wrong?').fill('It is not.');
  await page.keyboard.press('Enter');
  await sees('Thank you.');
  const { body } = await stage.service.call(`GET /api/v1/conversations/${id}`);
  expect(body.messages[2]).toMatchObject({ rating: 'down', rating_comment: 'It is not.' });
  expect(await lines()).toHaveLength(3);
  expect(loaded.filter((path) => /actions-/.test(path))).toHaveLength(1);
  // Nothing was put aside, so nothing is listed.
  expect(loaded.filter((path) => path.includes('branches'))).toEqual([]);
  await page.reload();
  await open();
  await until(() => button('Bad answer').getAttribute('aria-pressed')).toBe('true');
  await button('Bad answer').click();
  await until(ratings).toEqual([null, null, null]);
});

it('answers again, edits, and changes between versions, in two tabs', async () => {
  const key = await stage.createBot();
  const host = 'branches.shop.localhost';
  const { page, lines, write, button, sees } = await visit(key, { host });
  answer('It is in Cologne.');
  await write('Where is it?');
  await button('Answer again').waitFor();
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByRole('button', { name: 'Open chat' }).click();
  const inSecond = () => second.locator('svc-widget .bubble').allInnerTexts();
  await until(inSecond).toEqual(['Welcome!', 'Where is it?', 'It is in Cologne.']);

  answer('It is in Bonn.');
  await button('Answer again').click();
  const again = ['Welcome!', 'Where is it?', 'It is in Bonn.'];
  await until(lines).toEqual(again);
  await sees('2 of 2');
  await until(inSecond).toEqual(again);

  answer('It is in Aachen.');
  await button('Edit').click();
  await page.getByLabel('Edited message').fill('Where is the second one?');
  await page.keyboard.press('Enter');
  const edited = ['Welcome!', 'Where is the second one?', 'It is in Aachen.'];
  await until(lines).toEqual(edited);
  await sees('3 of 3');
  await until(inSecond).toEqual(edited);

  await button('Previous version').click();
  await until(lines).toEqual(again);
  await sees('2 of 3');
  await until(inSecond).toEqual(again);
  await second.getByRole('button', { name: 'Previous version' }).click();
  await until(lines).toEqual(['Welcome!', 'Where is it?', 'It is in Cologne.']);
  await second.close();
});

it('offers nothing but thumbs while a person takes part', async () => {
  const key = await stage.createBot();
  const { write, button, sees } = await visit(key);
  answer('Of course.');
  await write('I want a person');
  await button('Edit').waitFor();
  const id = await stage.conversationOf(key.bot_id);
  await stage.service.call(`PATCH /api/v1/conversations/${id}`, {
    body: { needs_human: { reason: 'Mine.' } },
  });
  await sees('A person will answer here.');
  await until(() => button('Edit').count()).toBe(0);
  await until(() => button('Answer again').count()).toBe(0);
  await button('Good answer').waitFor();
});
