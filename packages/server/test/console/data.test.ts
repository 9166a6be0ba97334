import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let stage: ConsoleStage;
let owner: Desk;
beforeAll(async () => {
  stage = await openConsole();
  owner = await stage.signIn('owner');
});
afterAll(() => stage.stop());

async function makeConversation(user: string, days: number): Promise<string> {
  const bot = (await stage.call('POST /api/v1/bots', { body: { name: 'Shop', system_prompt: 'x' } })).body.id;
  const body = { bot_id: bot, external_user_id: user, message: 'Hello' };
  const { body: events } = await stage.call('POST /api/v1/chat/send-stream', { body });
  const id = /"conversation_id":"([^"]+)"/.exec(events)?.[1] ?? '';
  await stage.database.acrossWorkspaces.execute(
    sql`update conversations set created_at = now() - make_interval(days => ${days}), updated_at = now() - make_interval(days => ${days}) where id = ${id}`,
  );
  return id;
}

test('an owner sees what would be deleted, and confirms the number before it is saved', async () => {
  await makeConversation('ada', 400);
  await owner.go('/settings/data');
  const { page } = owner;
  await page.getByText('Nothing was deleted so far.').waitFor();
  const conversations = page.getByRole('group', { name: 'Conversations' });
  await conversations.getByRole('button', { name: /Keep for ever/ }).click();
  await page.getByRole('option', { name: 'Delete after …' }).click();
  await conversations.getByText('Would delete 1 conversation now.').waitFor();
  await conversations.getByLabel('Days').fill('401');
  await conversations.getByText('Would delete nothing now.').waitFor();
  await conversations.getByLabel('Days').fill('0');
  await conversations.getByText('Must be between 1 and 3,650.').first().waitFor();
  await conversations.getByLabel('Days').fill('30');
  await conversations.getByText('Would delete 1 conversation now.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete what is older?' });
  await dialog.getByText('1 conversation', { exact: true }).waitFor();
  expect((await stage.call('GET /api/v1/retention')).body.conversations_days).toBeNull();
  await dialog.getByRole('button', { name: 'Save and delete' }).click();
  await page.getByText('How long data is kept was saved.').waitFor();
  expect((await stage.call('GET /api/v1/retention')).body.conversations_days).toBe(30);
});

test('an owner places a hold with the keyboard and releases it, and an operator only reads', async () => {
  await owner.go('/settings/data');
  const { page } = owner;
  await page.getByText('No hold: everything may be deleted when its time is over.').waitFor();
  await page.getByRole('button', { name: 'New legal hold' }).press('Enter');
  await page.getByLabel('Id of the person').fill('ada');
  await page.getByLabel('Reason').fill('Case 118');
  await page.keyboard.press('Enter');
  await page.getByText('The hold is in place.').waitFor();
  const operator = await stage.signIn('operator');
  await operator.go('/settings/data');
  await operator.page.getByText('Case 118').waitFor();
  expect(await operator.page.getByRole('button', { name: /Release|Save|New legal hold/ }).count()).toBe(0);
  expect((await stage.call('DELETE /api/v1/end-users/ada')).body.code).toBe('LEGAL_HOLD');
  await page.getByRole('button', { name: 'Release the hold Case 118' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click();
  await page.getByText('The hold was released.').waitFor();
  expect((await stage.call('GET /api/v1/legal-holds')).body).toEqual([]);
});

test('an operator downloads what the service has about a person', async () => {
  const id = await makeConversation('grace', 0);
  const { page } = owner;
  await owner.go(`/conversations/${id}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export their data' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('end-user.json');
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({
    external_user_id: 'grace',
    conversations: [{ id }],
  });
});

test('without a mail server an invitation names its person, and says why', async () => {
  await owner.go('/settings/members');
  const { page } = owner;
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog', { name: /^Invite to/ });
  await dialog.getByText('Only this person can use the link, which you copy and send yourself.').waitFor();
  const href = (await dialog.getByRole('link', { name: 'Configuration' }).getAttribute('href')) ?? '';
  expect((await fetch(stage.url + href)).status).toBe(200);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await dialog
    .getByText('Is required: without a mail server, an invitation is for one person only.')
    .waitFor();
  const email = dialog.getByLabel('Email');
  await expect.poll(() => email.evaluate((field) => field === document.activeElement)).toBe(true);
  await email.fill('grace@example.com');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await page
    .getByRole('alertdialog', { name: 'Send this link' })
    .getByText(/for grace@example.com only/)
    .waitFor();
});
