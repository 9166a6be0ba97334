import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { type ConsoleStage, type Desk, devices, openConsole } from './support/console.ts';

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

/** A conversation that its bot has answered, open in the browser. */
async function openConversation(person: string = randomUUID()) {
  const user = { bot_id: botId, external_user_id: person };
  const said = chat.say({ ...user, message: `Where is order ${randomUUID()}?` });
  const reply = await model.next();
  reply.write('It is in Cologne.');
  reply.finish();
  const { conversationId: id } = await said;
  await desk.go(`/conversations/${id}`);
  await desk.page.locator('article').getByText('It is in Cologne.').waitFor();
  return { id, user };
}

const row = (id: string) => desk.page.locator(`[data-row='${id}']`);

it('takes over while the bot writes, and hands back', async () => {
  const { page } = desk;
  const { id, user } = await openConversation();
  const sent = await chat.send({ ...user, message: 'And then?' });
  const writing = await model.next();
  writing.write('It travels');
  await page.locator('article[aria-busy=true]').getByText('It travels').waitFor();
  await page.getByRole('button', { name: 'Take over' }).click();
  const banner = page.locator('footer').getByText('Ada Lovelace took over');
  await banner.waitFor();
  await writing.abandoned;
  await sent.ended();
  await page.getByText('Stopped by a member of the team').waitFor();
  await page.getByRole('button', { name: 'Assigned to You' }).waitFor();
  await row(id).getByText('Ada Lovelace is answering').waitFor();
  await page.locator('main header').getByText('Ada Lovelace is answering').waitFor();
  expect((await chat.say({ ...user, message: 'Hello?' })).last.data).toMatchObject({ handed_off: true });
  // The user waits again, and has written what the list did not show yet.
  await row(id).getByText('waits for a person').waitFor();
  await row(id).getByRole('img', { name: 'New from the user' }).waitFor();
  await row(id).getByText('Hello?', { exact: true }).waitFor();
  await page.locator('main header').getByText('waits for a person').waitFor();
  await page.getByLabel('Reply as a person').fill('I am here.');
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await row(id).getByText('Ada Lovelace: I am here.').waitFor();
  await row(id).getByText('Ada Lovelace is answering').waitFor();
  expect(await row(id).getByRole('img', { name: 'New from the user' }).count()).toBe(0);
  const stays = page.getByText('The bot keeps answering. Take over to silence it.');
  expect(await stays.count()).toBe(0);
  await page.getByRole('button', { name: 'Hand back' }).click();
  await page.getByText('Ada Lovelace handed it back to the bot').waitFor();
  await banner.waitFor({ state: 'detached' });
  await stays.waitFor();
  expect((await stage.call(`GET /api/v1/conversations/${id}`)).body.needs_human).toBeNull();
  expect(desk.complaints).toEqual([]);
});

it('tells the second of two who take over at the same time', async () => {
  const { page } = desk;
  const { id } = await openConversation();
  const grace = await stage.signIn('operator', { name: 'Grace Hopper' });
  await page.route(`**/api/v1/conversations/${id}`, async (route) => {
    if (route.request().method() === 'PATCH')
      await grace.call(`PATCH /api/v1/conversations/${id}`, { body: { needs_human: { reason: '' } } });
    await route.continue();
  });
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByText('Grace Hopper had taken over just before you. It is assigned to you now.').waitFor();
  await page.getByRole('button', { name: 'Assigned to You' }).waitFor();
  await page.unroute(`**/api/v1/conversations/${id}`);

  // Nobody was in the way of whoever takes over what was given back.
  await page.getByRole('button', { name: 'Hand back' }).click();
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByRole('button', { name: 'Take over' }).waitFor({ state: 'detached' });
  expect(await page.getByText('just before you').count()).toBe(0);
});

it('writes with canned replies, which the team keeps under Settings', async () => {
  const { page } = desk;
  await desk.go('/settings/replies');
  await page.getByText('No canned replies yet').waitFor();
  await page.getByRole('button', { name: 'New reply' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Shortcut').fill('returns');
  await dialog.getByLabel('Text').fill('Send it back within 30 days.\n{{operator}}, with {{bot}}');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /returns/ }).waitFor();
  await stage.call('POST /api/v1/canned-replies', { body: { shortcut: 'thanks', text: 'Thank you!' } });

  const { id } = await openConversation();
  const field = page.getByLabel('Reply as a person');
  await field.press('/');
  const search = page.getByRole('searchbox', { name: 'Find a canned reply' });
  await expect.poll(() => search.evaluate((box) => box === document.activeElement)).toBe(true);
  const active = page.locator('[role=menuitem][data-focused]');
  // The first is active at once, and stays so whatever is typed and taken back; its text is as it would be written.
  await active.getByText('Ada Lovelace, with Support').waitFor();
  await page.keyboard.type('tha');
  await active.getByText('Thank you!').waitFor();
  for (let letters = 3; letters > 0; letters -= 1) await page.keyboard.press('Backspace');
  await active.getByText('/returns').waitFor();
  expect(await active.count()).toBe(1);
  await page.keyboard.type('thanx');
  await page.getByText('None is called that.').waitFor();
  // What was typed comes back to where it was begun.
  await page.keyboard.press('Escape');
  await search.waitFor({ state: 'detached' });
  await expect.poll(() => field.inputValue()).toBe('/thanx');
  await expect.poll(() => field.evaluate((box) => box === document.activeElement)).toBe(true);
  await field.fill('');
  await field.press('/');
  await active.getByText('/returns').waitFor();
  await page.keyboard.press('ArrowDown');
  await active.getByText('/thanks').waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => field.inputValue()).toBe('Thank you!');
  await field.fill('');
  await field.press('/');
  await page.keyboard.type('retu');
  await expect.poll(() => page.getByRole('menuitem').count()).toBe(1);
  await active.waitFor();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => field.inputValue())
    .toBe('Send it back within 30 days.\nAda Lovelace, with Support');
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.locator('article').getByText('Send it back within 30 days.').waitFor();
  const { messages } = (await stage.call(`GET /api/v1/conversations/${id}`)).body;
  expect(messages.at(-1)).toMatchObject({
    role: 'operator',
    content: 'Send it back within 30 days.\nAda Lovelace, with Support',
  });

  await desk.go('/settings/replies');
  await page.getByRole('button', { name: 'Delete returns' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('row', { name: /returns/ }).waitFor({ state: 'detached' });
  expect(desk.complaints).toEqual([]);
});

it('assigns, snoozes, resolves and reopens, and the views follow', async () => {
  const { page } = desk;
  const { id } = await openConversation();
  const grace = await stage.signIn('operator', { name: 'Grace Hopper' });
  await grace.go('/conversations');
  const mine = grace.page.getByRole('link', { name: 'Mine' });
  await mine.click();
  await grace.page.getByText('No conversation matches').waitFor();
  expect(await mine.getAttribute('aria-current')).toBe('page');
  await page.reload();
  await page.getByRole('button', { name: 'Assign', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Grace Hopper' }).click();
  await page.getByText('Ada Lovelace assigned it to Grace Hopper').waitFor();
  await row(id).getByText('Grace Hopper').waitFor();
  await grace.page.locator(`[data-row='${id}']`).waitFor();

  await page.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: 'In an hour' }).click();
  // To the minute: seconds would have a second colon.
  await page.getByText(/^Snoozed until [^:]+:\d\d[^:]*$/).waitFor();
  await row(id).getByText('snoozed').waitFor();
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByRole('button', { name: 'Snooze' }).click();
  await page
    .getByRole('menuitem', { name: 'Tomorrow' })
    .getByText(/^[^:]+:\d\d[^:]*$/)
    .waitFor();
  await page.getByRole('menuitem', { name: 'Tomorrow' }).click();
  await row(id).getByText('snoozed').waitFor();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await row(id).getByText('resolved', { exact: true }).waitFor();
  await page.getByText('Ada Lovelace resolved it').waitFor();
  await grace.page.getByText('No conversation matches').waitFor();
  expect(desk.complaints).toEqual([]);
});

it('a note is between the messages, and labels are in the list and a filter', async () => {
  const { page } = desk;
  const { id, user } = await openConversation();
  await page.getByRole('radio', { name: 'Note' }).click();
  const field = page.getByRole('textbox', { name: 'Note for the team' });
  await field.fill('Called about it yesterday.');
  await field.press('Control+Enter');
  await page.getByRole('article', { name: 'Note by Ada Lovelace' }).getByText('Called about it').waitFor();
  const said = chat.say({ ...user, message: 'Thanks' });
  const reply = await model.next();
  expect(JSON.stringify(reply.body)).not.toContain('Called about it');
  reply.write('You are welcome.');
  reply.finish();
  await said;
  await page.locator('article').getByText('You are welcome.').waitFor();
  const order = await page
    .locator('[role=log] article')
    .evaluateAll((all) => all.map((one) => one.ariaLabel));
  expect(order).toEqual([
    user.external_user_id,
    'Support',
    'Note by Ada Lovelace',
    user.external_user_id,
    'Support',
  ]);

  await page.getByRole('button', { name: 'Add label' }).click();
  await page.getByRole('textbox', { name: 'Labels' }).fill('refund, vip');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Labels' }).waitFor({ state: 'detached' });
  for (const label of ['refund', 'vip']) await page.locator('main header').getByText(label).waitFor();
  await page.getByRole('button', { name: 'Edit labels' }).waitFor();
  await expect
    .poll(async () => (await stage.call(`GET /api/v1/conversations/${id}`)).body.labels)
    .toEqual(['refund', 'vip']);
  await desk.go('/conversations?label=vip');
  await row(id).getByText('refund').waitFor();
  await desk.go('/conversations?label=other');
  await page.getByText('No conversation matches').waitFor();
  expect(desk.complaints).toEqual([]);
});

it('shows a viewer who sees to it, and lets them change nothing', async () => {
  const { id } = await openConversation();
  await desk.page.getByRole('button', { name: 'Assign', exact: true }).click();
  await desk.page.getByRole('menuitem', { name: 'Me' }).click();
  await desk.page.getByText('Ada Lovelace took it on').waitFor();
  const viewer = await stage.signIn('viewer', { name: 'Alan Turing' });
  await viewer.go(`/conversations/${id}`);
  await viewer.page.getByText('Assigned to Ada Lovelace').waitFor();
  for (const name of ['Take over', 'Resolve', 'Snooze', 'Add label', 'Edit labels'])
    expect(await viewer.page.getByRole('button', { name }).count()).toBe(0);
});

it('calls a visitor by a name, with the user on the left and what only engineers need behind a toggle', async () => {
  const { page } = desk;
  const visitor = 'visitor_0000001d-0024-4000-8000-000000000000';
  const { id } = await openConversation(visitor);
  await row(id).getByText('Teal Otter').waitFor();
  // A title in Arabic or Hebrew begins on the right.
  for (const title of [row(id).getByText('Where is order'), page.locator('main header h2')])
    expect(await title.first().getAttribute('dir')).toBe('auto');
  const [asked, answered] = ['Teal Otter', 'Support'].map((name) => page.getByRole('article', { name }));
  const leftOf = async (article = asked) => (await article?.locator('.markdown').boundingBox())?.x ?? 0;
  expect(await leftOf(asked)).toBeLessThan(await leftOf(answered));
  const trace = page.getByRole('button', { name: 'trace', exact: true });
  const cost = page.locator('main header').getByText('$');
  expect([await trace.count(), await cost.count()]).toEqual([0, 0]);
  await page.getByRole('button', { name: 'Technical details' }).click();
  await trace.waitFor();
  await page.reload();
  await trace.waitFor();
  await page.getByRole('button', { name: 'Technical details' }).click();
  await trace.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Details', exact: true }).click();
  await page.getByText(visitor).waitFor();
  const details = page.locator('dt');
  await details.getByText('Channel').waitFor();
  for (const name of ['Cost', 'Tokens', 'Conversation', 'Bot id'])
    expect(await details.getByText(name, { exact: true }).count(), name).toBe(0);
  await page.getByRole('button', { name: 'Technical details' }).click();
  for (const name of ['Cost', 'Tokens', 'Conversation', 'Bot id'])
    await details.getByText(name, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Technical details' }).click();
  const madeUp = 'This name is made up from their id until they give one.';
  await page.getByRole('region', { name: 'User' }).getByText(madeUp).waitFor();
  expect(
    await page.locator('main header').getByRole('link', { name: 'Teal Otter' }).getAttribute('title'),
  ).toBe(`${visitor}. ${madeUp}`);
  expect(desk.complaints).toEqual([]);
});

it('tries again what was stopped, and says why it cannot', async () => {
  const { page } = desk;
  const { id, user } = await openConversation();
  const stopped = await chat.send({ ...user, message: 'And then?' });
  await model.next();
  await stage.call('POST /api/v1/chat/stop', { body: { conversation_id: id } });
  await stopped.ended();
  const ending = page.getByText('Stopped through the API');
  await ending.waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  const reply = await model.next();
  reply.write('Then to Bonn.');
  reply.finish();
  await page.getByRole('article').getByText('Then to Bonn.').waitFor();
  await ending.waitFor({ state: 'detached' });

  const sent = await chat.send({ ...user, message: 'When?' });
  const open = await model.next();
  await page.getByRole('button', { name: 'More about this message' }).first().click();
  await page.getByRole('menuitem', { name: 'Answer again' }).click();
  await page.getByText('A turn of this conversation is not finished yet').waitFor();
  open.finish();
  await sent.ended();
  expect((await stage.call(`GET /api/v1/conversations/${id}/branches`)).body).toHaveLength(2);
  expect(desk.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
});

it('saves the filters in use as a view, which the team sees', async () => {
  const { page } = desk;
  await desk.go('/conversations?label=rare&inbox=open');
  const views = page.getByRole('navigation', { name: 'Views' });
  const save = page.getByRole('button', { name: 'Save view' });
  // None of the two is cut off.
  for (const device of [devices.desktop, { width: 1024, height: 768 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(device);
    expect(await views.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    const [pane, button] = [await views.boundingBox(), await save.boundingBox()];
    expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThanOrEqual((pane?.x ?? 0) + (pane?.width ?? 0));
  }
  await page.setViewportSize(devices.desktop);
  await save.click();
  const dialog = page.getByRole('dialog', { name: 'Save this view' });
  await dialog.getByLabel('Name').fill('Rare');
  await page.keyboard.press('Enter');
  const link = views.getByRole('link', { name: 'Rare' });
  await link.waitFor();
  expect(await link.getAttribute('aria-current')).toBe('page');
  await save.waitFor({ state: 'detached' });

  const grace = await stage.signIn('viewer', { name: 'Grace Hopper' });
  await grace.go('/conversations');
  const hers = grace.page.getByRole('navigation', { name: 'Views' });
  await hers.getByRole('link', { name: 'Rare' }).click();
  await grace.page.getByText('No conversation matches').waitFor();
  expect(new URL(grace.page.url()).search).toContain('label=rare');
  expect(await hers.getByRole('button').count()).toBe(0);
  expect(await grace.page.getByRole('button', { name: 'Save view' }).count()).toBe(0);

  await page.reload();
  await views.getByRole('button', { name: 'Delete the view Rare' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await link.waitFor({ state: 'detached' });
  expect(desk.complaints).toEqual([]);
});

it('shows how an answer is rated while it is read, and lists conversations by that', async () => {
  const { page } = desk;
  const { id } = await openConversation();
  const { body } = await stage.call(`GET /api/v1/conversations/${id}`);
  const rate = (rating: string | null) =>
    stage.call(`PUT /api/v1/conversations/${id}/messages/${body.messages.at(-1).id}/rating`, {
      body: { rating },
    });
  await rate('down');
  const answer = page.locator('article', { hasText: 'It is in Cologne.' });
  await answer.getByText('Rated down by the user').waitFor({ state: 'attached' });
  await rate('up');
  await answer.getByText('Rated up by the user').waitFor({ state: 'attached' });
  await rate(null);
  await answer.getByText(/^Rated/).waitFor({ state: 'detached' });
  await rate('down');
  const other = await openConversation();

  await desk.go('/conversations');
  await row(other.id).waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('button', { name: 'Rating' }).click();
  await page.getByRole('option', { name: 'Rated down' }).click();
  await expect.poll(() => desk.place()).toBe('/conversations?rating=down');
  await row(other.id).waitFor({ state: 'detached' });
  await row(id).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('list', { name: 'Filters in use' }).getByText('Rated down').waitFor();
  await page.getByRole('button', { name: 'Save view' }).waitFor();
});

it('the overview leads to what is assigned to the member and what mentions them, and says nothing without', async () => {
  const barbara = await stage.signIn('operator', { name: 'Barbara Liskov' });
  const { id } = await openConversation();
  await barbara.go('/');
  await barbara.page.getByText('Waiting for you').waitFor();
  const section = barbara.page.getByRole('heading', { name: /^For you/ });
  expect(await section.count()).toBe(0);
  await desk.call(`POST /api/v1/conversations/${id}/notes`, {
    body: { text: 'Please look', mentions: [barbara.id] },
  });
  await section.waitFor();
  const link = barbara.page.getByRole('link', { name: /^Mentions you/ });
  await link.click();
  await barbara.page.locator('article').getByText('It is in Cologne.').waitFor();
  await barbara.go('/');
  await barbara.page.getByText('Waiting for you').waitFor();
  await link.waitFor({ state: 'detached' });
  await desk.call(`PATCH /api/v1/conversations/${id}`, { body: { assignee: barbara.id } });
  await barbara.page.getByRole('link', { name: /^Assigned to you/ }).click();
  await barbara.page.waitForURL(`**/conversations/${id}`);
  expect(barbara.complaints).toEqual([]);
});
