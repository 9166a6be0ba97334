import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { type Site, snippet, startSite, widgetOn } from '../widgets/browser/start-site.ts';
import { createWidgetKey } from '../widgets/use-widget.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let model: HandPlayedModel;
let stage: ConsoleStage;
let site: Site;
let ada: Desk;
let grace: Desk;
const chat = chatWith(() => stage);
let visitors: Page[] = [];

beforeAll(async () => {
  model = await startHandPlayedModel();
  [stage, site] = await Promise.all([openConsole({ environment: scriptedEnvironment(model) }), startSite()]);
  ada = await stage.signIn('operator', { name: 'Ada Lovelace' });
  grace = await stage.signIn('operator', { name: 'Grace Hopper' });
});
afterAll(async () => {
  await stage.stop();
  await site.close();
  await model.close();
});
// Each holds a stream open, and a browser opens six connections to a service.
afterEach(async () => {
  for (const page of visitors) await page.close();
  visitors = [];
});

/** A visitor whose conversation waits for a person. */
async function visit() {
  const botId = await chat.bot({ name: 'Support' });
  const key = await createWidgetKey(stage, botId, { allowed_domains: ['*.shop.localhost'] });
  const { page, complaints } = await stage.browser.open();
  visitors.push(page);
  const head = snippet(stage.url, key.api_key);
  await page.goto(site.put('/', { head }, 'people.shop.localhost'));
  const { launcher, panel, composer } = widgetOn(page);
  await launcher.click();
  await composer.fill('Where is my parcel?');
  await composer.press('Enter');
  const reply = await model.next();
  reply.write('It is in Cologne.');
  reply.finish();
  const log = panel.getByRole('log');
  await log.getByText('It is in Cologne.').waitFor();
  const listed = await stage.call(`GET /api/v1/conversations?bot_id=${botId}&channel=widget`);
  const { id } = listed.body[0] as { id: string };
  const body = { needs_human: { reason: 'Angry' } };
  expect((await stage.call(`PATCH /api/v1/conversations/${id}`, { body })).status).toBe(200);
  await log.getByText('A person has been asked').waitFor();
  return { id, log, composer, complaints };
}

it('shows who else is there and who types, to both members and the visitor, and never what', async () => {
  const { id, log, composer, complaints } = await visit();
  await ada.go(`/conversations/${id}`);
  await grace.go(`/conversations/${id}`);
  await ada.page.getByText('Grace Hopper is here').waitFor();
  await grace.page.getByText('Ada Lovelace is here').waitFor();

  const field = ada.page.getByLabel('Reply as a person');
  const isTyping = 'Ada Lovelace is typing…';
  await field.pressSequentially('Your refund');
  await grace.page.getByText(isTyping).waitFor();
  await log.getByText(isTyping).waitFor();
  await field.fill('');
  await grace.page.getByText(isTyping).waitFor({ state: 'detached' });
  await field.fill('It left today.');
  await grace.page.getByText(isTyping).waitFor();
  await ada.page.getByRole('button', { name: 'Reply', exact: true }).click();
  await log.getByText('It left today.').waitFor();
  await expect.poll(() => log.locator('.activity').count()).toBe(0);
  await grace.page.getByText(isTyping).waitFor({ state: 'detached' });

  await composer.pressSequentially('Thank');
  for (const { page } of [ada, grace])
    await page
      .locator('footer')
      .getByText(/^\w+ \w+ is typing…$/)
      .waitFor();
  await composer.press('Enter');
  for (const { page } of [ada, grace]) {
    await page.locator('article').getByText('Thank', { exact: true }).waitFor();
    await page.getByText('is typing…').waitFor({ state: 'detached' });
  }

  // A note is for the team: the visitor does not wait for it.
  await ada.page.getByRole('radio', { name: 'Note' }).click();
  await ada.page.getByRole('textbox', { name: 'Note for the team' }).pressSequentially('Called them');
  await ada.go('/conversations');
  await grace.page.getByText('Ada Lovelace is here').waitFor({ state: 'detached' });
  expect(await log.locator('.activity').count()).toBe(0);
  // The widget itself ends the stream of what it has sent.
  const ofWidget = complaints.filter((text) => !text.includes('ERR_ABORTED'));
  expect([...ada.complaints, ...grace.complaints, ...ofWidget]).toEqual([]);
});

it('forgets a member whose tab is closed or hidden', async () => {
  const { id } = await visit();
  await ada.go(`/conversations/${id}`);
  const alan = await stage.signIn('viewer', { name: 'Alan Turing' });
  await alan.go(`/conversations/${id}`);
  await ada.page.getByText('Alan Turing is here').waitFor();
  await alan.page.close();
  await ada.page.getByText('Alan Turing is here').waitFor({ state: 'detached' });
  // Without a word, as when the computer is asleep.
  await grace.go(`/conversations/${id}`);
  await ada.page.getByText('Grace Hopper is here').waitFor();
  await grace.page.evaluate(() =>
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }),
  );
  await ada.page.getByText('Grace Hopper is here').waitFor({ state: 'detached' });
});

/** What the page shows and plays, in place of the browser. */
interface Noticed {
  asked: number;
  tones: number;
  shown: { title: string; body: string; tag: string; click(): void }[];
}

function playBrowser(): void {
  const noticed: Noticed = { asked: 0, tones: 0, shown: [] };
  const allowed = 'test_permission';
  class FakeNotification extends EventTarget {
    constructor(title: string, options: { body: string; tag: string }) {
      super();
      noticed.shown.push({ title, ...options, click: () => void this.dispatchEvent(new Event('click')) });
    }
    close() {}
    static get permission() {
      return localStorage.getItem(allowed) ?? 'default';
    }
    static async requestPermission() {
      noticed.asked += 1;
      localStorage.setItem(allowed, 'granted');
      return 'granted';
    }
  }
  class FakeAudio {
    currentTime = 0;
    async resume() {}
    createOscillator() {
      const start = () => {
        noticed.tones += 1;
      };
      return { frequency: {}, connect: (next: unknown) => next, start, stop() {} };
    }
    createGain() {
      const gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
      return { gain, connect: (next: unknown) => next };
    }
  }
  Object.assign(window, { Notification: FakeNotification, AudioContext: FakeAudio, noticed });
}

it('notifies of new messages and of what begins to wait, once it is turned on', async () => {
  const desk = await stage.signIn('operator', { name: 'Alan Turing' });
  const { page } = desk;
  await page.addInitScript(playBrowser);
  const noticed = (read: (noticed: Noticed) => unknown) => page.evaluate(`(${String(read)})(window.noticed)`);
  await desk.go('/');
  const first = await visit();
  await first.composer.fill('Hello?');
  await first.composer.press('Enter');
  await desk.go('/settings/profile');
  expect(await noticed(({ asked, tones, shown }) => [asked, tones, shown.length])).toEqual([0, 0, 0]);
  for (const name of ['Desktop notifications', 'Sound']) await page.getByText(name, { exact: true }).click();
  await expect.poll(() => noticed(({ asked, tones }) => [asked, tones])).toEqual([1, 2]);
  await page.reload();
  await page.getByRole('switch', { name: 'Sound' }).waitFor();
  expect(await page.getByRole('switch', { checked: true }).count()).toBeGreaterThanOrEqual(2);

  const { id, composer, log } = await visit();
  const titles = () => noticed(({ shown }) => shown.map(({ title, body }) => [title, body]));
  await expect.poll(titles).toEqual([[expect.stringMatching(/^\w+ \w+ waits for a person$/), 'Angry']]);
  await composer.fill('Is anybody there?');
  await composer.press('Enter');
  await expect.poll(titles).toHaveLength(2);
  expect(await titles()).toMatchObject([{}, [expect.stringMatching(/^\w+ \w+$/), 'Is anybody there?']]);
  expect(await noticed(({ shown, tones }) => [shown[1]?.tag, tones])).toEqual([id, 4]);
  await page.evaluate('window.noticed.shown[1].click()');
  await page.waitForURL(`**/conversations/${id}`);

  // Whoever looks at it sees it.
  await composer.fill('Still waiting.');
  await composer.press('Enter');
  await page.locator('article').getByText('Still waiting.').waitFor();
  await page.getByLabel('Reply as a person').fill('Here I am.');
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await log.getByText('Here I am.').waitFor();
  await page.getByText('took it on').waitFor();
  expect(await titles()).toHaveLength(2);
  // What belongs to a colleague is theirs.
  await page.getByRole('button', { name: 'Assigned to You' }).click();
  await page.getByRole('menuitem', { name: 'Ada Lovelace' }).click();
  await page.getByText('assigned it to Ada Lovelace').waitFor();
  await desk.go('/settings/profile');
  await composer.fill('And now?');
  await composer.press('Enter');
  await expect
    .poll(async () => (await stage.call(`GET /api/v1/conversations/${id}`)).body.messages.at(-1).content)
    .toBe('And now?');
  await first.composer.fill('Me too');
  await first.composer.press('Enter');
  await expect.poll(titles).toEqual([[expect.any(String), 'Me too']]);
  expect(desk.complaints).toEqual([]);
});

it('mentions a member in a note, who sees it in the list until they open the conversation', async () => {
  const { id } = await visit();
  await ada.go(`/conversations/${id}`);
  await grace.go('/conversations');
  const badge = grace.page.locator(`[data-row='${id}']`).getByText('Mentions you');
  const { page } = ada;
  await page.getByRole('radio', { name: 'Note' }).click();
  const field = page.getByRole('textbox', { name: 'Note for the team' });
  await field.pressSequentially('Please look, @');
  await page.getByRole('searchbox', { name: 'Find a member' }).waitFor();
  await page.keyboard.type('hopp');
  await expect.poll(() => page.getByRole('menuitem').count()).toBe(1);
  await page.locator('[role=menuitem][data-focused]').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => field.inputValue()).toBe('Please look, @Grace Hopper ');
  await page.getByRole('button', { name: 'Leave note' }).click();
  await page.getByRole('article', { name: 'Note by Ada Lovelace' }).waitFor();
  await badge.waitFor();
  const read = async () => (await stage.call(`GET /api/v1/conversations/${id}`)).body.unread_mentions;
  expect(await read()).toEqual([grace.id]);
  await grace.page.locator(`[data-row='${id}'] a`).click();
  await grace.page.getByText('Please look, @Grace Hopper').waitFor();
  await expect.poll(read).toEqual([]);
  await grace.go('/conversations');
  await grace.page.locator(`[data-row='${id}']`).waitFor();
  expect(await badge.count()).toBe(0);

  // An address does not mention anybody, and what is not picked stays as it was typed.
  await field.pressSequentially('ask@example.com @');
  await page.getByRole('searchbox', { name: 'Find a member' }).waitFor();
  await page.keyboard.type('noon');
  await page.keyboard.press('Escape');
  await expect.poll(() => field.inputValue()).toBe('ask@example.com @noon');
  expect([...ada.complaints, ...grace.complaints]).toEqual([]);
});

it('assigns what begins to wait to whoever uses the console, once an owner wants it', async () => {
  const owner = await stage.signIn('owner', { name: 'Olga' });
  await owner.go('/settings/workspace');
  await owner.page.getByText('Assign what waits in turn').click();
  await expect.poll(async () => (await owner.call('GET /api/v1/inbox')).body.assigns_in_turn).toBe(true);
  await owner.page.close();
  await grace.go('/conversations');
  // Once its socket is open.
  await expect
    .poll(async () => {
      await grace.page.keyboard.press('Tab');
      const { acrossWorkspaces } = stage.database;
      return (await acrossWorkspaces.execute(sql`select from operator_activity`)).rows.length;
    })
    .toBe(1);
  const { id } = await visit();
  await grace.page.locator(`[data-row='${id}']`).getByText('Grace Hopper').waitFor();
  await grace.go(`/conversations/${id}`);
  await grace.page.getByText('Assigned to Grace Hopper').waitFor();
  await owner.call('PUT /api/v1/inbox', { body: { assigns_in_turn: false } });
});
