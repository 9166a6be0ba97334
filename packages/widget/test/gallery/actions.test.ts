import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Gallery, openGallery, sizes } from './open-gallery.ts';

let gallery: Gallery;
beforeAll(async () => {
  gallery = await openGallery();
});
beforeEach(async () => {
  await gallery.page.setViewportSize(sizes.desktop);
  // The actions of the scene before are gone with it.
  await gallery.show('greeting');
});
afterAll(() => gallery.close());

const calls = (of: string) =>
  gallery.page.evaluate((start) => window.stage.calls.filter((call) => call.startsWith(start)), of);
const focused = () =>
  gallery.page.evaluate(() => {
    const element = document.activeElement?.shadowRoot?.activeElement;
    return element?.ariaLabel ?? element?.getAttribute('aria-label') ?? null;
  });
const button = (name: string) => gallery.page.getByRole('button', { name, exact: true });
const pressed = (name: string) => button(name).last().getAttribute('aria-pressed');
const message = (index: number) =>
  gallery.page.evaluate((at) => window.scenes['actions']?.state?.messages?.at(at)?.id, index);

test('an answer is rated by keyboard, rated otherwise, and not any more', async () => {
  const { page } = gallery;
  await gallery.show('actions');
  const id = await message(-1);
  expect([await pressed('Good answer'), await pressed('Bad answer')]).toEqual(['true', 'false']);
  await button('Bad answer').last().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => pressed('Bad answer')).toBe('true');
  expect(await pressed('Good answer')).toBe('false');
  expect(await focused()).toBe('What was wrong?');
  await button('Bad answer').last().focus();
  await page.keyboard.press('Space');
  await expect.poll(() => pressed('Bad answer')).toBe('false');
  expect(await focused()).toBe('Bad answer');
  expect(await page.getByLabel('What was wrong?').count()).toBe(0);
  const given = { conversation_id: 'c1', message_id: id };
  expect(await calls('rating')).toEqual([
    `rating ${JSON.stringify({ ...given, rating: 'down' })}`,
    `rating ${JSON.stringify({ ...given, rating: null })}`,
  ]);
});

test('after a bad rating the visitor can say what was wrong, or not, and is thanked', async () => {
  const { page } = gallery;
  const works = (isWorking: boolean) =>
    page.evaluate((value) => Object.assign(window.scenes['actions'] ?? {}, { works: value }), isWorking);
  const reason = page.getByLabel('What was wrong?');
  await works(true);
  await gallery.show('actions');
  const given = { conversation_id: 'c1', message_id: await message(-1), rating: 'down' };
  await button('Bad answer').last().click();
  expect(await reason.getAttribute('maxlength')).toBe('500');
  await reason.press('Enter');
  expect(await calls('rating')).toHaveLength(1);
  await reason.fill(' It is out of date. ');
  await works(false);
  await reason.press('Enter');
  // What was written stays until it has arrived.
  await page.getByRole('alert').filter({ hasText: 'That did not work.' }).waitFor();
  expect(await reason.inputValue()).toBe(' It is out of date. ');
  await works(true);
  await button('Send').first().click();
  await page.getByText('Thank you.').waitFor();
  expect(await focused()).toBe('Bad answer');
  expect(await reason.count()).toBe(0);
  expect((await calls('rating')).at(-1)).toBe(
    `rating ${JSON.stringify({ ...given, comment: 'It is out of date.' })}`,
  );

  await gallery.show('actions');
  await button('Bad answer').last().click();
  await reason.press('Escape');
  await page.getByText('Thank you.').waitFor();
  expect(await page.locator('.panel').isVisible()).toBe(true);
  expect(await calls('rating')).toEqual([`rating ${JSON.stringify(given)}`]);
  // Another rating asks for nothing.
  await button('Good answer').last().click();
  expect(await page.getByText('Thank you.').count()).toBe(0);
  expect(await reason.count()).toBe(0);
});

test('a question that is left open does not take the focus from the field of messages', async () => {
  await gallery.show('actions');
  await button('Bad answer').last().click();
  expect(await focused()).toBe('What was wrong?');
  await button('More options').click();
  await button('New conversation').click();
  expect(await focused()).toBe('Your message');
});

test('says what did not work, and shows what the service has', async () => {
  const { page } = gallery;
  await page.evaluate(() => Object.assign(window.scenes['actions'] ?? {}, { works: false }));
  await gallery.show('actions');
  await button('Bad answer').last().click();
  await page.getByRole('alert').filter({ hasText: 'That did not work.' }).waitFor();
  expect([await pressed('Good answer'), await pressed('Bad answer')]).toEqual(['true', 'false']);
  await page.evaluate(() => Object.assign(window.scenes['actions'] ?? {}, { works: true }));
});

test('the latest answer can be asked for again, and every message of the visitor edited', async () => {
  const { page } = gallery;
  await gallery.show('actions');
  expect(await button('Answer again').count()).toBe(1);
  expect(await button('Edit').count()).toBe(2);
  const question = await message(2);
  await button('Answer again').focus();
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Messages');
  expect(await calls('send')).toEqual([
    `send ${JSON.stringify(['And if it is damaged?', { replaces: question }])}`,
  ]);

  await button('Edit').last().focus();
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Edited message');
  expect(await page.getByText('And if it is damaged?').locator('visible=true').count()).toBe(0);
  // Escape closes the field, not the panel.
  await page.keyboard.press('Escape');
  expect(await focused()).toBe('Edit');
  await page.getByText('And if it is damaged?').waitFor();
  expect(await page.locator('.panel').isVisible()).toBe(true);

  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('And if it is');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('late? ');
  await page.keyboard.press('Enter');
  expect(await calls('send')).toContain(
    `send ${JSON.stringify(['And if it is\nlate?', { replaces: question }])}`,
  );
  expect(await focused()).toBe('Messages');
  expect(await page.getByLabel('Edited message').count()).toBe(0);
});

test('an empty edit is not sent', async () => {
  const { page } = gallery;
  await gallery.show('actions');
  await button('Edit').last().click();
  await page.getByLabel('Edited message').fill('  ');
  await page.keyboard.press('Enter');
  expect(await calls('send')).toEqual([]);
  await button('Cancel').click();
  expect(await focused()).toBe('Edit');
});

test('changes between versions, with the focus where it was', async () => {
  const { page } = gallery;
  await gallery.show('actions-branched');
  await page.getByText('2 of 2').waitFor();
  expect(await button('Next version').getAttribute('aria-disabled')).toBe('true');
  await button('Next version').click({ force: true });
  expect(await calls('branches {')).toEqual([]);
  await button('Previous version').focus();
  await page.keyboard.press('Enter');
  expect(await calls('branches {')).toEqual([
    `branches ${JSON.stringify({ conversation_id: 'c1', branch_id: 'b1' })}`,
  ]);
  await page.evaluate(() => {
    const { messages = [] } = window.scenes['actions-branched']?.state ?? {};
    const [first, answer, second] = messages;
    if (!first || !answer || !second) throw new Error('There are messages.');
    const other = { ...second, id: 'elsewhere', storedId: 'elsewhere', text: 'And if it is late?' };
    window.stage.setState({ messages: [first, answer, other], branched: 8 });
  });
  await page.getByText('1 of 2').waitFor();
  expect(await focused()).toBe('Previous version');
  expect(await button('Previous version').getAttribute('aria-disabled')).toBe('true');
});

test('where a person takes part, and while an answer is written, only the thumbs are there', async () => {
  const { page } = gallery;
  await gallery.show('actions-handed-off');
  await button('Good answer').last().waitFor();
  expect([await button('Edit').count(), await button('Answer again').count()]).toEqual([0, 0]);
  await gallery.show('actions');
  await button('Edit').last().waitFor();
  await button('Edit').last().focus();
  await page.evaluate(() => window.stage.setState({ activity: 'typing' }));
  await expect.poll(() => button('Edit').count()).toBe(0);
  // What is hidden gives the focus away.
  expect(await focused()).toBe('Messages');
});

test('a greeting cannot be rated, and what is not stored has no actions', async () => {
  await gallery.show('answered');
  expect(await button('Good answer').count()).toBe(0);
  expect(await button('Edit').count()).toBe(0);
});

test('the row of an earlier answer appears when somebody looks at it', async () => {
  const { page } = gallery;
  await gallery.show('actions-long');
  const thumb = button('Good answer').first();
  const opacity = () => thumb.evaluate((element) => getComputedStyle(element.parentElement!).opacity);
  await page.mouse.move(0, 0);
  expect(await opacity()).toBe('0');
  await thumb.focus();
  expect(await opacity()).toBe('1');
  await page.getByRole('log').focus();
  expect(await opacity()).toBe('0');
  await page.locator('.message.bot').nth(1).hover();
  expect(await opacity()).toBe('1');
});
