import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { makePerson } from '../support/end-users.ts';
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
  desk = await stage.signIn('owner');
  await desk.page.addInitScript(() => localStorage.setItem('svc_technical', '1'));
  botId = await chat.bot({ name: 'Support', enable_agent_tracing: true });
  const assignments = [{ tool_type: 'handoff' }, { tool_type: 'calculator' }];
  await stage.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
});
afterAll(async () => {
  await stage.stop();
  await model.close();
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** A finished turn of a new conversation, which is open in the browser. */
async function openConversation(
  bot = botId,
  person: string = randomUUID(),
): Promise<{
  id: string;
  user: { bot_id: string; external_user_id: string };
}> {
  const user = { bot_id: bot, external_user_id: person };
  const said = chat.say({ ...user, message: 'Where is order 4711?' });
  const reply = await model.next();
  reply.write('It is in **Cologne**.');
  reply.finish({ input: 812, output: 140 });
  const { conversationId: id } = await said;
  await desk.go(`/conversations/${id}`);
  await desk.page.locator('article').getByText('It is in Cologne.').waitFor();
  // Without the markup.
  await desk.page.locator(`[data-row='${id}']`).getByText('It is in Cologne.').waitFor();
  return { id, user };
}

it('streams a reply in, and stops it', async () => {
  const { page } = desk;
  const { user } = await openConversation();
  await page.getByText('812 → 140').waitFor();
  const sent = await chat.send({ ...user, message: 'And order 4712?' });
  const reply = await model.next();
  await page.getByRole('status').getByText('Working…').waitFor();
  reply.write('That one ', 'is still ');
  const writing = page.locator('article[aria-busy=true]');
  await writing.getByText('That one is still').waitFor();
  reply.write('in **Bonn');
  await writing.locator('strong', { hasText: 'Bonn' }).waitFor();
  await page.keyboard.press('.');
  await page.getByText('Stopped by a member of the team').waitFor();
  await sent.ended();
  await expect.poll(() => page.locator('article[aria-busy=true]').count()).toBe(0);
  await page.getByText('Stopped before the end').waitFor();
  expect(desk.complaints).toEqual([]);
});

/** Files that can be sent with a message, by their ids. */
async function upload(files: [name: string, bytes: Buffer][]): Promise<string[]> {
  const ids: string[] = [];
  for (const [name, bytes] of files) {
    const body = new FormData();
    body.append('files', new Blob([new Uint8Array(bytes)]), name);
    ids.push((await stage.call('POST /api/v1/attachments', { body })).body.id);
  }
  return ids;
}

it('shows the files of a message: images large, others as downloads', async () => {
  const { page } = desk;
  const attachments = await upload([
    ['mug.png', png],
    ['invoice.pdf', Buffer.from('%PDF-1.7')],
  ]);
  // As the widget sends files without a text.
  const said = chat.say({ bot_id: botId, message: 'mug.png, invoice.pdf', attachments });
  const reply = await model.next();
  reply.write('Oh.');
  reply.finish();
  await desk.go(`/conversations/${(await said).conversationId}`);
  const files = page.getByRole('list', { name: 'Files' });
  const picture = files.getByRole('button', { name: 'Show mug.png' });
  await expect
    .poll(() => picture.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(1);
  expect(await page.getByRole('article').first().getByText('invoice.pdf').count()).toBe(1);
  // Its frame fits it, but can always be pressed.
  expect((await picture.boundingBox())?.width).toBe(44);

  await picture.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'mug.png' });
  await dialog.getByRole('img', { name: 'mug.png' }).waitFor();
  const save = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  const saved = await save;
  expect(saved.suggestedFilename()).toBe('mug.png');
  expect((await readFile(await saved.path())).equals(png)).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => picture.evaluate((button) => button === document.activeElement)).toBe(true);

  const downloading = page.waitForEvent('download');
  await files.getByRole('link', { name: 'invoice.pdf' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('invoice.pdf');
  expect(await readFile(await download.path(), 'utf8')).toBe('%PDF-1.7');
  expect(desk.complaints).toEqual([]);
});

it('lists what cannot be undone before it removes messages', async () => {
  const { page } = desk;
  const { id, user } = await openConversation();
  const said = chat.say({ ...user, message: 'Please call somebody' });
  (await model.next()).callTool('handoff', { reason: 'Wants a person' });
  const reply = await model.next();
  reply.write('Somebody comes.');
  reply.finish();
  await said;
  await page.getByText('Somebody comes.').waitFor();
  await page.locator('article').nth(1).getByRole('button', { name: 'More about this message' }).click();
  await page.getByRole('menuitem', { name: /Remove everything after this/ }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText(/4 messages/).waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => page.getByText('Somebody comes.').count()).toBe(0);
  await page.locator('article').getByText('It is in Cologne.').waitFor();
  const { body } = await stage.call(`GET /api/v1/conversations/${id}`);
  expect(body.messages).toHaveLength(2);
});

it('lets a person reply after a hand-off and gives the conversation back', async () => {
  const { page } = desk;
  const { id, user } = await openConversation();
  const said = chat.say({ ...user, message: 'A person, please' });
  (await model.next()).callTool('handoff', { reason: `Wants a person${'!'.repeat(500)}` });
  const reply = await model.next();
  reply.write('Somebody comes.');
  reply.finish();
  await said;
  const banner = page.locator('footer').getByText('The bot asked for a person');
  await banner.waitFor();
  expect(await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)).toBe(0);
  const field = page.getByRole('textbox', { name: 'Reply as a person' });
  await field.fill('Ada here. It arrives tomorrow.');
  await field.press('Control+Enter');
  await page.locator('article').getByText('Ada here. It arrives tomorrow.').waitFor();
  expect(await field.inputValue()).toBe('');
  await page.getByRole('button', { name: 'Hand back' }).click();
  await banner.waitFor({ state: 'detached' });
  await page.getByText('Ada Lovelace handed it back to the bot').waitFor();
  const { body } = await stage.call(`GET /api/v1/conversations/${id}`);
  expect(body).toMatchObject({ needs_human: null });
  expect(body.messages.at(-1)).toMatchObject({ role: 'operator', author_name: 'Ada Lovelace' });
});

it('keeps a reply that was begun, for each conversation, until it is sent', async () => {
  const { page } = desk;
  const field = page.getByRole('textbox', { name: 'Reply as a person' });
  const first = await openConversation();
  await field.fill('It arrives');
  const second = await openConversation();
  expect(await field.inputValue()).toBe('');
  await field.fill('Ask the');
  await desk.go(`/conversations/${first.id}`);
  await expect.poll(() => field.inputValue()).toBe('It arrives');
  await field.fill('It arrives tomorrow.');
  await field.press('Control+Enter');
  await page.locator('article').getByText('It arrives tomorrow.').waitFor();
  await desk.go(`/conversations/${second.id}`);
  await expect.poll(() => field.inputValue()).toBe('Ask the');
  await desk.go(`/conversations/${first.id}`);
  await page.locator('article').getByText('It arrives tomorrow.').waitFor();
  expect(await field.inputValue()).toBe('');
});

it('edits a call in a test, and keeps the cursor while its text grows', async () => {
  const { page } = desk;
  await desk.go(`/bots/${botId}/prompt`);
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill('A person, please');
  await field.press('Enter');
  (await model.next()).callTool('handoff', { reason: 'x' });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const reason = page.getByRole('textbox', { name: 'Reason' });
  await reason.fill('y'.repeat(79));
  await reason.pressSequentially('yyy\nz');
  expect(await reason.inputValue()).toBe(`${'y'.repeat(82)}\nz`);
  await page.getByRole('button', { name: 'New conversation' }).click();
});

it('stops a test that was started over before its turn was known', async () => {
  const { page } = desk;
  await desk.go(`/bots/${botId}/prompt`);
  const held = Promise.withResolvers<void>();
  await page.route('**/test', (route) => held.promise.then(() => route.continue()), { times: 1 });
  const asked = page.waitForRequest('**/test');
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill('Where is order 4711?');
  await field.press('Enter');
  await asked;
  await page.getByRole('button', { name: 'New conversation' }).click();
  held.resolve();
  await model.next();
  const tests = () => stage.call(`GET /api/v1/conversations?channel=test&bot_id=${botId}`);
  await expect.poll(async () => JSON.stringify((await tests()).body)).not.toContain('"running"');
});

it('says that the bot was deactivated, and that the conversation was deleted', async () => {
  const { page } = desk;
  const retired = await chat.bot({ name: 'Retired' });
  const { user } = await openConversation(retired);
  const note = page.getByText('Retired is deactivated: the user gets no more answers here.');
  const setStatus = (status: string) => stage.call(`PUT /api/v1/bots/${retired}`, { body: { status } });
  await setStatus('inactive');
  await note.waitFor();
  await setStatus('active');
  await note.waitFor({ state: 'detached' });

  const sent = await chat.send({ ...user, message: 'More' });
  (await model.next()).write('It is ');
  await page.locator('article[aria-busy=true]').getByText('It is').waitFor();
  await stage.call(`DELETE /api/v1/end-users/${user.external_user_id}`);
  await page.getByText('This conversation does not exist').waitFor();
  await sent.ended();
  // Everything that is shown is read again, and nothing of the conversation.
  await setStatus('active');
  await page.getByRole('link', { name: 'All conversations' }).last().click();
  await expect.poll(() => desk.place()).toBe('/conversations');
  expect(desk.complaints).toEqual([]);
});

it('ends the sessions of a person for those who may, and keeps the conversation', async () => {
  const { id } = await openConversation(botId, 'ann/50% of <all>');
  const ann = await makePerson(stage, { userId: 'ann/50% of <all>' });
  const [viewer, operator] = [await stage.signIn('viewer'), await stage.signIn('operator')];
  await viewer.go(`/conversations/${id}`);
  await viewer.page.locator('article').getByText('It is in Cologne.').waitFor();
  expect(await viewer.page.getByRole('button', { name: 'More', exact: true }).count()).toBe(0);

  const { page } = operator;
  const statusOf = async () => (await stage.call('GET /api/v1/conversations', { key: ann.token })).status;
  expect(await statusOf()).toBe(200);
  await operator.go(`/conversations/${id}`);
  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'End sessions…' }).press('Enter');
  const question = page.getByRole('alertdialog', { name: 'End all sessions of this person?' });
  await question.getByText('ann/50% of <all> is signed out everywhere').waitFor();

  await page.route('**/revoke', (route) => route.abort(), { times: 1 });
  const confirm = question.getByRole('button', { name: 'End sessions' });
  await confirm.press('Enter');
  await question.getByRole('alert').waitFor();
  expect(await statusOf()).toBe(200);

  await confirm.press('Enter');
  await page.getByText("The person's sessions have ended.").waitFor();
  await question.waitFor({ state: 'detached' });
  expect(await statusOf()).toBe(401);
  await page.reload();
  await page.locator('article').getByText('It is in Cologne.').waitFor();
});

/** Whether all of an element is in what its log shows. */
function isInView(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const shown = element.closest('[role=log]')?.getBoundingClientRect();
    const { top, bottom } = element.getBoundingClientRect();
    return shown !== undefined && top >= shown.top && bottom <= shown.bottom;
  });
}

it('stays at the end when long messages arrive whole, until the reader goes up', async () => {
  const { page } = desk;
  const { id } = await openConversation();
  const log = page.getByRole('log', { name: 'Messages' });
  const fromEnd = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  const write = (content: string) =>
    desk.call(`POST /api/v1/conversations/${id}/messages`, { body: { content } });
  for (let index = 0; index < 5; index++) {
    await write(`Message ${index}.\n\n`.repeat(10 + index * 10));
    await page.locator('article').getByText(`Message ${index}.`).first().waitFor({ state: 'attached' });
    await expect.poll(fromEnd).toBeLessThan(2);
  }
  expect(await page.getByRole('button', { name: 'New' }).count()).toBe(0);
  await log.hover();
  await page.mouse.wheel(0, -600);
  await expect.poll(fromEnd).toBeGreaterThan(300);
  await write('And one more.');
  await page.getByRole('button', { name: 'New' }).click();
  await expect.poll(fromEnd).toBeLessThan(2);
});

it('moves the log along with the turn whose trace is shown', async () => {
  const { page } = desk;
  const { id, user } = await openConversation();
  for (const message of ['And the next one?', 'And the last one?']) {
    const said = chat.say({ ...user, conversation_id: id, message });
    const reply = await model.next();
    reply.write('It is on its way.\n\n'.repeat(30));
    reply.finish({ input: 10, output: 10 });
    await said;
  }
  await desk.go(`/conversations/${id}?panel=trace`);
  await page.getByText('turn 3 of 3').waitFor();
  const first = page.locator('article').getByText('Where is order 4711?');
  await expect.poll(() => isInView(first)).toBe(false);
  await page.getByRole('button', { name: 'Previous turn' }).click();
  await page.getByRole('button', { name: 'Previous turn' }).click();
  await page.getByText('turn 1 of 3').waitFor();
  await expect.poll(() => isInView(first)).toBe(true);
});

it('opens the trace of a turn, and the address says which step', async () => {
  const { page } = desk;
  await openConversation();
  await page.getByRole('button', { name: 'trace', exact: true }).click();
  const steps = page.getByRole('listbox', { name: 'Steps' });
  await steps.getByRole('option', { name: /openai\/gpt-4o/ }).click();
  await page.getByRole('region', { name: 'Output' }).getByText('It is in **Cologne**.').waitFor();
  expect(desk.place()).toMatch(/panel=trace&turn=[0-9a-f-]+&step=[0-9a-f-]+$/);
  await page.reload();
  await page.getByRole('region', { name: 'Output' }).waitFor();
  await page.goBack();
  expect(desk.complaints).toEqual([]);
});
