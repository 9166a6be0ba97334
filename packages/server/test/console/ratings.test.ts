import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let model: HandPlayedModel;
let stage: ConsoleStage;
let desk: Desk;
const chat = chatWith(() => stage);

beforeAll(async () => {
  model = await startHandPlayedModel();
  stage = await openConsole({ environment: scriptedEnvironment(model) });
  desk = await stage.signIn('operator', { name: 'Ada Lovelace' });
});
afterAll(async () => {
  await stage.stop();
  await model.close();
});

/** An answer of the bot, which its user can rate. */
async function answer(botId: string) {
  const said = chat.say({ bot_id: botId, external_user_id: randomUUID(), message: 'What does it cost?' });
  const reply = await model.next();
  reply.write('It costs nothing.');
  reply.finish();
  const { conversationId: id, messageId } = await said;
  return (body: object) =>
    stage.call(`PUT /api/v1/conversations/${id}/messages/${messageId}/rating`, { body });
}

it('are counted with the latest comments, of all bots or one, and lead to the conversations', async () => {
  const { page } = desk;
  const [support, sales] = [await chat.bot({ name: 'Support' }), await chat.bot({ name: 'Sales' })];
  const ratings = page.getByRole('region', { name: 'Ratings by users' });
  await desk.go('/quality');
  await ratings.getByText('No answer was rated in this time.').waitFor();

  await (await answer(support))({ rating: 'up' });
  await (await answer(sales))({ rating: 'down', comment: 'Of Sales' });
  const rate = await answer(support);
  await rate({ rating: 'down', comment: 'It **does** cost something.' });
  await desk.go('/quality');
  const lines = ratings.getByRole('list', { name: 'What was wrong' }).getByRole('listitem');
  await expect.poll(() => lines.count()).toBe(2);
  expect(await lines.first().innerText()).toContain('It **does** cost something.');
  expect(await lines.first().innerText()).toContain('Support');
  await ratings.getByText('1 up', { exact: true }).waitFor();
  await ratings.getByText('2 down', { exact: true }).waitFor();
  await desk.go(`/quality?bot=${support}`);
  await ratings.getByText('1 down', { exact: true }).waitFor();
  expect(await lines.count()).toBe(1);

  // Beside the thumb, and while the conversation is read.
  await ratings.getByRole('link', { name: 'It **does** cost something.' }).click();
  const article = page.locator('article', { hasText: 'It costs nothing.' });
  await article.getByText('It **does** cost something.').waitFor();
  await rate({ rating: 'down', comment: 'It costs 5 euros.' });
  const comment = article.getByRole('button', { name: '“It costs 5 euros.”' });
  await comment.click();
  expect(await comment.getAttribute('aria-expanded')).toBe('true');
  await rate({ rating: 'up' });
  await article.getByText('Rated up by the user').waitFor({ state: 'attached' });
  expect(await article.getByText('It costs 5 euros.').count()).toBe(0);

  await rate({ rating: 'down' });
  await desk.go(`/quality?bot=${support}`);
  await ratings.getByRole('link', { name: 'Conversations rated down' }).click();
  await expect.poll(() => desk.place()).toMatch(/^\/conversations\?/);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ rating: 'down', bot: support });
  expect(desk.complaints).toEqual([]);
});

it('are not for viewers', async () => {
  const viewer = await stage.signIn('viewer', { name: 'Alan Turing' });
  await viewer.go('/quality');
  await viewer.page
    .getByText(/operator/i)
    .first()
    .waitFor();
  expect(await viewer.page.getByText('Ratings by users').count()).toBe(0);
});
