import { emailPattern } from '@svc/contract/email-pattern';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { email } from '../../src/form/email.ts';
import { type Gallery, openGallery, sizes } from './open-gallery.ts';

let gallery: Gallery;
beforeAll(async () => {
  gallery = await openGallery();
});
beforeEach(() => gallery.page.setViewportSize(sizes.desktop));
afterAll(() => gallery.close());

const calls = () => gallery.page.evaluate(() => window.stage.calls);
const answers = async () => (await calls()).filter((call) => call.startsWith('giveDetails'));
const focused = () =>
  gallery.page.evaluate(() => {
    const element = document.activeElement?.shadowRoot?.activeElement;
    return element?.closest('label')?.textContent ?? element?.textContent;
  });
const done = () => gallery.page.evaluate(() => window.stage.setState({ canAsk: false }));

test('takes addresses as the service does', () => {
  expect(email.source).toBe(new RegExp(emailPattern).source);
});

test('is filled in by keyboard, and says what is wrong with an address', async () => {
  const { page } = gallery;
  await gallery.show('ask');
  expect(await focused()).toBe('Name');
  await page.keyboard.type(' Mia Meyer ');
  await page.keyboard.press('Tab');
  await page.keyboard.type('mia');
  await page.keyboard.press('Enter');
  expect(await page.getByRole('alert').textContent()).toBe('This is not an email address.');
  expect(await focused()).toBe('Email');
  const field = page.getByLabel('Email');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.getAttribute('aria-describedby')).toBe(await page.getByRole('alert').getAttribute('id'));
  await page.keyboard.type('@example.com');
  expect(await page.getByRole('alert').textContent()).toBe('');
  expect(await answers()).toEqual([]);
  await page.keyboard.press('Enter');
  expect(await answers()).toEqual(['giveDetails {"name":"Mia Meyer","email":"mia@example.com"}']);
  await done();
  await page.getByLabel('Your message').waitFor();
});

test.each([
  ['Continue', 'with nothing in it'],
  ['Skip', 'without looking at it'],
])('can be left with %s, %s', async (name) => {
  const { page } = gallery;
  await gallery.show('ask');
  if (name === 'Skip') await page.getByLabel('Email').fill('not an address');
  await page.getByRole('button', { name }).click();
  expect(await answers()).toEqual(['giveDetails {}']);
});

test('closes with Escape, and is there with what was typed when the panel opens again', async () => {
  const { page } = gallery;
  await gallery.show('ask');
  await page.getByLabel('Name').fill('Mia');
  await page.keyboard.press('Escape');
  expect(await page.locator('.panel').isVisible()).toBe(false);
  await page.evaluate(() => window.stage.panel.open());
  expect(await page.getByLabel('Name').inputValue()).toBe('Mia');
});

test('forgets what was typed when another person or conversation begins', async () => {
  const { page } = gallery;
  await gallery.show('ask');
  await page.getByLabel('Name').fill('Mia');
  await page.evaluate(() => window.stage.setState({ thread: {} }));
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('');
});

const setHours = (isOpen: boolean) =>
  gallery.page.evaluate((open) => window.stage.setLook({ asks_details: !open }), isOpen);

test('stays while the office opens, once something is typed in it', async () => {
  const { page } = gallery;
  await gallery.show('ask');
  await page.getByLabel('Name').fill('Mia');
  await setHours(true);
  expect(await page.getByLabel('Name').inputValue()).toBe('Mia');
  await page.getByRole('button', { name: 'Continue' }).click();
  expect(await answers()).toEqual(['giveDetails {"name":"Mia"}']);
  await gallery.show('ask');
  await page.getByLabel('Name').waitFor();
  await setHours(true);
  await page.getByLabel('Your message').waitFor();
});

test('does not come between a visitor and the message they have begun when the office closes', async () => {
  const { page } = gallery;
  await gallery.show('greeting');
  await page.evaluate(() => window.stage.setState({ canAsk: true }));
  const field = page.getByLabel('Your message');
  await field.fill('Where is');
  await setHours(false);
  expect(await field.inputValue()).toBe('Where is');
  // Not even if they begin again.
  await field.fill('');
  await setHours(false);
  expect(await field.count()).toBe(1);
  // In the next conversation they are asked.
  await page.evaluate(() => window.stage.setState({ thread: {} }));
  await page.getByLabel('Name').waitFor();
});

test('keeps the focus in a panel that covers the screen, and gives way to what the page sends', async () => {
  const { page } = gallery;
  await page.setViewportSize(sizes.phone);
  await gallery.show('ask');
  await page.getByRole('button', { name: 'Skip' }).focus();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.ariaLabel)).toBe(
    'Close chat',
  );
  await done();
  await page.getByLabel('Your message').waitFor();
  expect(await page.getByLabel('Name').count()).toBe(0);
});

test('is not shown where visitors are not asked, and the text of closed hours is above the field', async () => {
  const { page } = gallery;
  await gallery.show('greeting');
  expect(await page.getByLabel('Name').count()).toBe(0);
  await gallery.show('ask-closed');
  await page.getByText('We are not here right now.').waitFor();
  await page.getByLabel('Name').waitFor();
  await gallery.show('closed');
  const [text, field] = [page.getByText('We are not here right now.'), page.getByLabel('Your message')];
  const [above, below] = [await text.boundingBox(), await field.boundingBox()];
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
});
