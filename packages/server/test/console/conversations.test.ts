import { randomUUID } from 'node:crypto';
import type { WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { status, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let stage: ConsoleStage;
let scripted: ScriptedModel;
let desk: Desk;
let botId: string;
const chat = chatWith(() => stage);

/** The live connection of the page, which the test can cut. */
const wire = { isCut: false, sockets: new Set<WebSocketRoute>() };

beforeAll(async () => {
  scripted = await startScriptedModel();
  stage = await openConsole({ environment: scriptedEnvironment(scripted) });
  scripted.respondWith(() => [text('Certainly.')]);
  botId = await chat.bot({ name: 'Support' });
  desk = await stage.signIn('viewer');
  await desk.page.routeWebSocket(/\/api\/console\/live/, (socket) => {
    if (wire.isCut) return void socket.close();
    wire.sockets.add(socket);
    socket.connectToServer();
  });
});
afterAll(async () => {
  await stage.stop();
  await scripted.close();
});

const say = (user: string, message: string) => chat.say({ bot_id: botId, external_user_id: user, message });
const row = (title: string) => desk.page.locator('li[data-row]', { hasText: title });

it('shows conversations as they happen, keeps filters, catches up after a loss, and finds what failed', async () => {
  await showsNewOnes();
  await keepsFilters();
  await catchesUp();
  await findsFailedOnes();
  await forgetsAnOutage();
});

const isNew = () => desk.page.getByRole('button', { name: /^\d+ new$/ });
let begun = 0;

/**
 * Begins conversations until one is announced and stays so: after a connection the list is read twice, the second time a second
 * later, and what has begun until then is among its rows at once.
 */
async function untilOneIsNew(): Promise<{ conversationId: string; user: string }> {
  let last = { conversationId: '', user: '' };
  let seenTimes = 0;
  const look = async () => {
    if (await isNew().isVisible()) return (seenTimes += 1);
    seenTimes = 0;
    const user = randomUUID();
    begun += 1;
    const { conversationId } = await say(user, 'I want my money back');
    last = { conversationId, user };
    return seenTimes;
  };
  await expect.poll(look, { interval: 400 }).toBe(4);
  return last;
}

/** Without moving the rows that are there. */
async function showsNewOnes(): Promise<void> {
  await desk.go('/conversations');
  await desk.page.getByText('Conversations with your bots appear here').waitFor();
  await say('ada', 'Where is my parcel?');
  await row('Where is my parcel?').waitFor();
  const { conversationId, user } = await untilOneIsNew();
  expect(await row(user).count()).toBe(0);
  await isNew().click();
  await row(user).waitFor();
  // A row that is shown is patched where it stands.
  scripted.respondWith(() => [text('It is on its way.')]);
  await chat.say({
    bot_id: botId,
    external_user_id: user,
    conversation_id: conversationId,
    message: 'When?',
  });
  await row('It is on its way.').waitFor();
  await countsThoseThatRise(user);
}

/** What is written to in a row further down only counts, too, and is first once it is wanted. */
async function countsThoseThatRise(first: string): Promise<void> {
  const rows = desk.page.locator('li[data-row]');
  await expect.poll(() => rows.first().textContent()).toContain(first);
  scripted.respondWith(() => [text('It is not lost.')]);
  await say('ada', 'Is it lost?');
  await row('It is not lost.').waitFor();
  expect(await rows.first().textContent()).toContain(first);
  await isNew().click();
  await expect.poll(() => rows.first().textContent()).toContain('It is not lost.');
}

async function keepsFilters(): Promise<void> {
  const field = desk.page.getByLabel('Search conversations');
  // A person who pauses continues typing where they were.
  await field.focus();
  await desk.page.keyboard.type('par');
  await expect.poll(() => desk.place()).toBe('/conversations?q=par');
  await desk.page.keyboard.type('cel');
  await expect.poll(() => desk.place()).toBe('/conversations?q=parcel');
  await expect.poll(() => desk.page.locator('li[data-row]').count()).toBe(1);
  // The address changes by the Back button, too.
  await desk.page.evaluate((search) => history.pushState(null, '', search), '?q=money');
  await expect.poll(() => field.inputValue()).toBe('money');
  await desk.page.goBack();
  await expect.poll(() => field.inputValue()).toBe('parcel');
  await field.fill('');
  await expect.poll(() => desk.page.locator('li[data-row]').count()).toBe(1 + begun);
  await desk.page.locator('h1').click();
  await desk.page.keyboard.press('j');
  await expect.poll(() => desk.place()).toMatch(/^\/conversations\/[0-9a-f-]{36}$/);
}

const bar = () => desk.page.locator('p', { hasText: /^No connection since .* Showing what was known then/ });

async function loseConnection(): Promise<void> {
  wire.isCut = true;
  await desk.page.context().setOffline(true);
  for (const socket of wire.sockets) await socket.close();
  await bar().waitFor();
}

async function findConnection(): Promise<void> {
  wire.isCut = false;
  await desk.page.context().setOffline(false);
  await bar().waitFor({ state: 'detached' });
}

async function catchesUp(): Promise<void> {
  await loseConnection();
  await say('edsger', 'What happened meanwhile?');
  expect(await row('What happened meanwhile?').count()).toBe(0);
  await findConnection();
  await expect.poll(() => desk.page.locator('#announcer-polite').textContent()).toBe('Connected again.');
  await row('What happened meanwhile?').waitFor();
  // And it is live again.
  await untilOneIsNew();
  await eventually(() =>
    desk.complaints.filter((complaint) => !/ERR_INTERNET_DISCONNECTED|WebSocket|live\?/.test(complaint)),
  ).toEqual([]);
}

/** By how their latest turn went. */
async function findsFailedOnes(): Promise<void> {
  scripted.respondWith(() => [status(400, {}, { error: { message: 'No.' } })]);
  await say('alan', 'Does it compute?');
  scripted.respondWith(() => [text('Certainly.')]);
  await desk.go('/conversations');
  await row('Does it compute?').getByText('failed').waitFor();
  await desk.page.getByRole('button', { name: 'Filters' }).click();
  await desk.page.getByRole('button', { name: 'Latest answer' }).click();
  await desk.page.getByRole('option', { name: 'Failed' }).click();
  await expect.poll(() => desk.place()).toBe('/conversations?status=failed');
  await expect.poll(() => desk.page.locator('li[data-row]').count()).toBe(1);
  await row('Does it compute?').waitFor();
  await desk.go('/conversations?status=completed');
  await row('Where is my parcel?').waitFor();
  expect(await row('Does it compute?').count()).toBe(0);
}

/** That the service was not reached is said at a form until it is reached again. */
async function forgetsAnOutage(): Promise<void> {
  await desk.go('/settings/profile');
  await desk.page.getByLabel('Name', { exact: true }).fill('Ada L.');
  await loseConnection();
  await desk.page.getByRole('button', { name: 'Save', exact: true }).click();
  const said = desk.page.getByRole('main').getByText('The service cannot be reached.');
  await said.waitFor();
  await findConnection();
  await said.waitFor({ state: 'detached' });
}
