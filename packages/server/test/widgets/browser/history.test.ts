import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeMember } from '../../support/members.ts';
import { type ChatStage, startChatStage, type Visit } from './chat-stage.ts';
import { widgetOn } from './start-site.ts';

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
const openList = async ({ button, page }: Visit) => {
  await button('More options').click();
  await button('Earlier conversations').click();
  return page.getByRole('region', { name: 'Earlier conversations' });
};

it('lists the conversations of the visitor, one of which is shown and continued, here and on the next page', async () => {
  const visitor = await visit(await stage.createBot());
  const { page, lines, write, button, open } = visitor;
  // A visitor who has never written is offered nothing.
  expect(await button('More options').count()).toBe(0);
  answer('An answer.');
  await write('Where is my parcel?');
  await until(lines).toEqual(['Welcome!', 'Where is my parcel?', 'An answer.']);
  await button('More options').click();
  await button('New conversation').click();
  await until(lines).toEqual(['Welcome!']);
  // From an empty conversation, too, and a draft is kept.
  await widgetOn(page).composer.fill('My invoice is wr');
  const list = await openList(visitor);
  await until(() => list.getByRole('listitem').count()).toBe(1);
  await page.keyboard.press('Escape');
  await write(`${await widgetOn(page).composer.inputValue()}ong`);
  await until(lines).toEqual(['Welcome!', 'My invoice is wrong', 'An answer.']);
  await openList(visitor);
  await until(async () =>
    (await list.getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0]),
  ).toEqual(['My invoice is wrong', 'Where is my parcel?']);
  await list.getByRole('button', { name: 'Where is my parcel?' }).click();
  await until(lines).toEqual(['Welcome!', 'Where is my parcel?', 'An answer.']);
  expect(await list.count()).toBe(0);
  await write('Any news?');
  const continued = ['Welcome!', 'Where is my parcel?', 'An answer.', 'Any news?', 'An answer.'];
  await until(lines).toEqual(continued);
  await page.reload();
  await open();
  await until(lines).toEqual(continued);
});

it('shows the chosen conversation in the other tab of the visitor', async () => {
  const key = await stage.createBot();
  const visitor = await visit(key);
  answer('An answer.');
  await visitor.write('one');
  await until(visitor.lines).toEqual(['Welcome!', 'one', 'An answer.']);
  await visitor.button('More options').click();
  await visitor.button('New conversation').click();
  await visitor.write('two');
  await until(visitor.lines).toEqual(['Welcome!', 'two', 'An answer.']);
  const tab = await visitor.page.context().newPage();
  await tab.goto(visitor.page.url());
  await widgetOn(tab).launcher.click();
  const log = tab.getByRole('log');
  await log.getByText('two').waitFor();
  const list = await openList(visitor);
  await list.getByRole('button', { name: 'one' }).click();
  await log.getByText('one', { exact: true }).waitFor();
  expect(await log.getByText('two').count()).toBe(0);
});

it('lists nothing of other visitors, and says when the list cannot be read', async () => {
  const key = await stage.createBot();
  const [first, second] = [await visit(key), await visit(key)];
  answer('An answer.');
  for (const { write, lines } of [first, second]) {
    await write('Hello');
    await until(async () => (await lines()).length).toBe(3);
  }
  const list = await openList(second);
  await until(() => list.getByRole('listitem').count()).toBe(1);
  await second.button('Back to the chat').click();
  await second.page.route('**/api/widget/conversations?*', (route) => route.abort());
  await openList(second);
  await list.getByText('The chat cannot be reached right now.').waitFor();
  await second.page.unroute('**/api/widget/conversations?*');
  await second.button('Try again').click();
  await until(() => list.getByRole('listitem').count()).toBe(1);
});

it('shows the reply of a person beside the launcher without asking for it, and opens with it', async () => {
  const key = await stage.createBot();
  const { page, write, lines, sees } = await visit(key);
  answer('An answer.');
  await write('A person, please');
  await until(async () => (await lines()).length).toBe(3);
  const id = await stage.conversationOf(key.bot_id);
  const change = (body: object) => stage.service.call(`PATCH /api/v1/conversations/${id}`, { body });
  await change({ needs_human: { reason: 'Asked for one.' } });
  await sees('A person has been asked');
  const { panel, launcher, widget } = widgetOn(page);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  const read: string[] = [];
  page.on('request', (request) => read.push(new URL(request.url()).pathname));
  const say = (content: string) =>
    stage.service.call(`POST /api/v1/conversations/${id}/messages`, {
      body: { content, author_name: 'Ann' },
    });
  await say('Hello, I am **Ann**.');
  const teaser = widget.locator('.teaser');
  await teaser.getByText('Hello, I am Ann.').waitFor();
  await until(() => launcher.getAttribute('aria-label')).toBe('Open chat. Unread messages: 1');
  // Only the stream can have brought it.
  expect(read.filter((path) => path.startsWith('/api/widget/conversations'))).toEqual([]);
  await teaser.getByRole('button', { name: 'Close the preview' }).click();
  await teaser.waitFor({ state: 'detached' });
  await say('I have found it.');
  await teaser.getByText('I have found it.').click();
  await panel.waitFor();
  await until(async () => (await lines()).slice(-2)).toEqual(['Hello, I am Ann.', 'I have found it.']);
  expect(await teaser.count()).toBe(0);
  expect(await launcher.getAttribute('aria-expanded')).toBe('true');

  // On the next page a person is heard at once, too, and what was read is not shown again.
  const stream = page.waitForResponse((response) => response.url().includes('/api/widget/stream'));
  await page.reload();
  await stream;
  await say('One more thing.');
  await teaser.getByText('One more thing.').waitFor();
  expect(await teaser.getByText('I have found it.').count()).toBe(0);
});

it('shows the reply of a person whom nobody has asked, on the next page and after a take-over, too', async () => {
  const key = await stage.createBot();
  const { page, write, lines, open } = await visit(key);
  const ada = await makeMember(stage.service, { role: 'operator' });
  const { panel, widget } = widgetOn(page);
  const teaser = widget.locator('.teaser');
  const shows = async (content: string) => {
    const body = { content };
    await ada.call(`POST /api/v1/conversations/${await stage.conversationOf(key.bot_id)}/messages`, { body });
    await teaser.getByText(content).waitFor();
  };
  const isStreaming = () => page.waitForResponse((response) => response.url().includes('/api/widget/stream'));
  answer('An answer.');
  await write('Where is my parcel?');
  await until(lines).toEqual(['Welcome!', 'Where is my parcel?', 'An answer.']);
  const read: string[] = [];
  page.on('request', (request) => read.push(new URL(request.url()).pathname));
  let stream = isStreaming();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  await stream;
  await shows('I am looking for it.');
  // Only the stream can have brought it.
  expect(read.filter((path) => path.startsWith('/api/widget/conversations'))).toEqual([]);

  stream = isStreaming();
  await page.reload();
  await stream;
  await shows('I have found it.');
  // The bot was never away.
  await open();
  await write('Thanks');
  await until(async () => (await lines()).slice(-2)).toEqual(['Thanks', 'An answer.']);
  expect(await panel.getByText('The assistant is answering again').count()).toBe(0);

  stream = isStreaming();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  await stream;
  const path = `PATCH /api/v1/conversations/${await stage.conversationOf(key.bot_id)}`;
  expect(await ada.call(path, { body: { needs_human: { reason: '' } } })).toMatchObject({ status: 200 });
  await shows('It arrives today.');
  await open();
  await panel.getByText('You are now talking to a person').waitFor();
});
