import { randomUUID } from 'node:crypto';
import type { Branch } from '@svc/contract/branches';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let model: HandPlayedModel;
let stage: ConsoleStage;
let desk: Desk;
let botId: string;
const chat = chatWith(() => stage);

beforeAll(async () => {
  model = await startHandPlayedModel();
  stage = await openConsole({ environment: scriptedEnvironment(model) });
  desk = await stage.signIn('operator', { name: 'Ada Lovelace' });
  botId = await chat.bot({ name: 'Support' });
});
afterAll(async () => {
  await stage.stop();
  await model.close();
});

async function answer(text: string): Promise<void> {
  const reply = await model.next();
  reply.write(text);
  reply.finish();
}

/** A conversation that its bot has answered. */
async function converse(text = 'It is in Cologne.') {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const said = chat.say({ ...user, message: 'Where is my parcel?' });
  await answer(text);
  const { conversationId: id, messageId } = await said;
  return { id, user, messageId };
}

const contents = async (id: string): Promise<string[]> =>
  (await stage.call(`GET /api/v1/conversations/${id}`)).body.messages.map(
    ({ content }: { content: string }) => content,
  );
const branchesOf = async (id: string): Promise<Branch[]> =>
  (await stage.call(`GET /api/v1/conversations/${id}/branches`)).body;

/** The conversation open in the browser, with an answer that was given again. */
async function openVersions({ page, go }: Desk) {
  const { id, user } = await converse();
  await go(`/conversations/${id}`);
  await more(page, page.getByRole('article', { name: 'Support' }), 'Answer again');
  await answer('It is in Bonn.');
  await page.getByRole('article').getByText('It is in Bonn.').waitFor();
  return { id, user };
}

async function more(page: Page, article: ReturnType<Page['getByRole']>, action: string): Promise<void> {
  await article.getByRole('button', { name: 'More about this message' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

const versionsIn = (page: Page) => page.getByRole('group', { name: 'Versions of this message' });
/** It says which version is read, and which one the user sees. */
const barIn = (page: Page, text: string) => page.locator('footer').getByText(text);
const composerIn = (page: Page) => page.getByLabel('Reply as a person');

it('reads another version without changing what the user sees, until it is continued', async () => {
  const { page } = desk;
  const { id, user } = await openVersions(desk);
  const reply = page.getByRole('article', { name: 'Support' });
  const versions = versionsIn(page);
  await reply.filter({ has: versions }).getByText('2 of 2').waitFor();
  expect(await versions.getByRole('button', { name: 'Next version' }).isDisabled()).toBe(true);
  await versions.getByRole('button', { name: 'Previous version' }).click();
  await reply.getByText('It is in Cologne.').waitFor();
  await versions.getByText('1 of 2').waitFor();
  await barIn(page, 'You are reading version 1. The user sees version 2.').waitFor();
  await composerIn(page).waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'More about this message' }).count()).toBe(0);
  const focused = () => page.evaluate(() => document.activeElement?.ariaLabel);
  expect(await focused()).toBe('Next version');
  expect(await contents(id)).toEqual(['Where is my parcel?', 'It is in Bonn.']);

  // What happens meanwhile does not disturb the reader.
  const said = chat.say({ ...user, message: 'And then?' });
  await answer('Then to Aachen.');
  await said;
  await page.locator('header').getByText('4 messages').waitFor();
  expect(await page.getByRole('article').count()).toBe(2);
  await page.reload();
  await reply.getByText('It is in Cologne.').waitFor();
  await page.getByRole('button', { name: 'Back to what the user sees' }).click();
  await page.getByRole('article').getByText('Then to Aachen.').waitFor();
  await composerIn(page).waitFor();
  await expect.poll(focused).toBe('Messages');

  await page.goBack();
  await reply.getByText('It is in Cologne.').waitFor();
  await page.getByRole('button', { name: 'Continue from this version' }).click();
  await composerIn(page).waitFor();
  await versions.getByText('1 of 2').waitFor();
  expect(await contents(id)).toEqual(['Where is my parcel?', 'It is in Cologne.']);
  await expect.poll(() => new URL(page.url()).search).not.toContain('branch');
  expect(desk.complaints).toEqual([]);
});

it('says why a version cannot be continued', async () => {
  const { page } = desk;
  const { id } = await openVersions(desk);
  await stage.call(`POST /api/v1/conversations/${id}/messages`, { body: { content: 'No refund.' } });
  await page.getByRole('article').getByText('No refund.').waitFor();
  await versionsIn(page).getByRole('button', { name: 'Previous version' }).click();
  await page.getByRole('button', { name: 'Continue from this version' }).click();
  await page.getByText('A person of the team has written in this part of the conversation.').waitFor();
  await page.getByRole('button', { name: 'Back to what the user sees' }).click();
  await page.getByRole('article').getByText('No refund.').waitFor();
  expect(await page.getByText('A person of the team has written').count()).toBe(0);
  expect(desk.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
});

it('shows versions at the question once it was edited, and continues one within another', async () => {
  const { page } = desk;
  const { id, user } = await converse();
  const said = chat.say({ ...user, message: 'And then?' });
  await answer('To Bonn.');
  await said;
  await desk.go(`/conversations/${id}`);
  const articles = page.getByRole('article');
  await more(page, articles.nth(3), 'Answer again');
  await answer('To Aachen.');
  await articles.getByText('To Aachen.').waitFor();
  await more(page, articles.first(), 'Edit…');
  const dialog = page.getByRole('dialog', { name: "Edit the user's message" });
  expect(await dialog.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Message').fill('Where is my second parcel?');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await answer('In Trier.');
  await articles.getByText('In Trier.').waitFor();
  const versions = versionsIn(page);
  await articles.first().filter({ has: versions }).getByText('2 of 2').waitFor();
  await page.getByRole('heading', { name: 'Where is my second parcel?' }).waitFor();

  await versions.getByRole('button', { name: 'Previous version' }).click();
  await articles.nth(3).filter({ has: versions }).getByText('2 of 2').waitFor();
  await articles.nth(3).getByRole('button', { name: 'Previous version' }).click();
  await articles.getByText('To Bonn.').waitFor();
  await barIn(page, 'You are reading version 1. The user sees version 2.').waitFor();
  expect(await contents(id)).toEqual(['Where is my second parcel?', 'In Trier.']);
  await page.getByRole('button', { name: 'Continue from this version' }).click();
  await composerIn(page).waitFor();
  expect(await contents(id)).toEqual(['Where is my parcel?', 'It is in Cologne.', 'And then?', 'To Bonn.']);
  expect(desk.complaints).toEqual([]);
});

it('leaves a version that somebody else has brought back, and one that is gone', async () => {
  const { page } = desk;
  const { id } = await openVersions(desk);
  await versionsIn(page).getByRole('button', { name: 'Previous version' }).click();
  await barIn(page, 'You are reading version 1.').waitFor();
  const [first, second] = await branchesOf(id);
  const choose = (branch: Branch | undefined) =>
    stage.call(`PATCH /api/v1/conversations/${id}/branches`, { body: { branch_id: branch?.id } });
  await choose(first);
  await composerIn(page).waitFor();
  await page.getByRole('article').getByText('It is in Cologne.').waitFor();
  // Nobody has asked to read it once it is put aside again.
  await choose(second);
  await page.getByRole('article').getByText('It is in Bonn.').waitFor();
  await composerIn(page).waitFor();
  await desk.go(`/conversations/${id}?branch=${randomUUID()}`);
  await page.getByRole('article').getByText('It is in Bonn.').waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe('');
  expect(desk.complaints).toEqual([]);
});

it('lets viewers read versions and change nothing', async () => {
  const { id } = await openVersions(desk);
  const viewer = await stage.signIn('viewer');
  await viewer.go(`/conversations/${id}`);
  await versionsIn(viewer.page).getByRole('button', { name: 'Previous version' }).click();
  await viewer.page.getByRole('article').getByText('It is in Cologne.').waitFor();
  await viewer.page.getByRole('button', { name: 'Back to what the user sees' }).waitFor();
  expect(await viewer.page.getByRole('button', { name: 'Continue from this version' }).count()).toBe(0);
  expect(viewer.complaints).toEqual([]);
});

it('scrolls to what one has just sent, wherever one was reading', async () => {
  const { page } = desk;
  const { id } = await converse('A long answer.\n\n'.repeat(80));
  await desk.go(`/conversations/${id}`);
  const log = page.getByRole('log', { name: 'Messages' });
  const isInView = (text: string) =>
    page
      .getByRole('article')
      .filter({ hasText: text })
      .evaluate((article) => {
        const box = article.closest('[role=log]')?.getBoundingClientRect();
        const { top, bottom } = article.getBoundingClientRect();
        return box !== undefined && top >= box.top && bottom <= box.bottom;
      });
  const goUp = async () => {
    await log.evaluate((box) => box.scrollTo(0, 0));
    await expect.poll(() => log.evaluate((box) => box.scrollTop)).toBe(0);
  };
  await composerIn(page).waitFor();
  await goUp();
  await stage.call(`POST /api/v1/conversations/${id}/messages`, { body: { content: 'Grace here.' } });
  await page.getByRole('button', { name: 'New' }).waitFor();
  expect(await isInView('Grace here.')).toBe(false);
  await composerIn(page).fill('Ada here.');
  await composerIn(page).press('Control+Enter');
  await expect.poll(() => isInView('Ada here.')).toBe(true);
  await page.getByRole('button', { name: 'New' }).waitFor({ state: 'detached' });

  await goUp();
  await page.getByRole('radio', { name: 'Note' }).click();
  const note = page.getByRole('textbox', { name: 'Note for the team' });
  await note.fill('He called.');
  await note.press('Control+Enter');
  await expect.poll(() => isInView('He called.')).toBe(true);
});
