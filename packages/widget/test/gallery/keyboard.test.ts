import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChatState } from '../../src/client/chat-state.ts';
import { type Gallery, openGallery, sizes } from './open-gallery.ts';

let gallery: Gallery;

beforeAll(async () => {
  gallery = await openGallery();
});
beforeEach(() => gallery.page.setViewportSize(sizes.desktop));
afterAll(() => gallery.close());

describe('focus', () => {
  test('goes to the field when the panel opens, which Escape closes', async () => {
    await gallery.show('answered');
    expect(await focused()).toBe('Your message');
    await gallery.page.keyboard.press('Escape');
    expect(await calls()).toEqual(['setOpen true', 'setOpen false', 'onClosed']);
    expect(await gallery.page.locator('.panel').isVisible()).toBe(false);
  });

  test('leaves the panel with Tab on a desktop, and not where it covers the screen', async () => {
    const { page } = gallery;
    await gallery.show('greeting');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Send');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.localName)).not.toBe('svc-widget');

    await page.setViewportSize(sizes.phone);
    await gallery.show('greeting');
    expect(await page.locator('.panel').getAttribute('aria-modal')).toBe('true');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Close chat');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('Send');
  });

  test('returns from the menu, which Escape closes alone', async () => {
    const { page } = gallery;
    await gallery.show('answered');
    await page.getByRole('button', { name: 'More options' }).click();
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('New conversation');
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('More options');
    expect(await page.getByRole('button', { name: 'New conversation' }).count()).toBe(0);
    expect(await page.locator('.panel').isVisible()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'New conversation' }).press('Enter');
    expect(await calls()).toContain('startNewConversation');
    expect(await focused()).toBe('Your message');
  });
});

test('focus stays in the panel when the button that had it is not needed any more', async () => {
  const { page } = gallery;
  await gallery.show('streaming');
  await page.getByRole('button', { name: 'Stop the answer' }).focus();
  await page.evaluate(() => window.stage.setState({ activity: 'none', ...window.scenes['answered']?.state }));
  expect(await focused()).toBe('Send');
  for (const [scene, name] of Object.entries({ outage: 'Try again', long: 'New messages' })) {
    await gallery.show(scene);
    await page.getByRole('button', { name }).press('Enter');
    expect(await focused(), name).toBe('Messages');
  }
});

describe('the composer', () => {
  test('says that a text is too long, and does not cut it', async () => {
    const { page } = gallery;
    await gallery.show('greeting');
    await page.getByRole('textbox').fill('x'.repeat(32_001));
    expect(await page.getByRole('alert').textContent()).toBe('Too long: at most 32,000 characters.');
    await page.keyboard.press('Enter');
    expect(await calls()).toEqual(['setOpen true']);
    await page.getByRole('textbox').fill('x'.repeat(32_000));
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.keyboard.press('Enter');
    expect((await calls()).length).toBe(2);
  });

  test('does not send while a word is being composed', async () => {
    await gallery.show('greeting');
    await gallery.page.getByRole('textbox').fill('にほん');
    for (const init of [{ isComposing: true }, { keyCode: 229 }])
      await gallery.page.getByRole('textbox').dispatchEvent('keydown', { key: 'Enter', ...init });
    expect(await calls()).toEqual(['setOpen true']);
  });

  test('sends with Enter, breaks the line with Shift, and keeps the text while an answer is coming', async () => {
    const { page } = gallery;
    await gallery.show('greeting');
    const field = page.getByRole('textbox');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.keyboard.type(' One');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Two ');
    await page.keyboard.press('Enter');
    expect(await calls()).toContain('send "One\\nTwo"');
    expect(await field.inputValue()).toBe('');

    await setState({ activity: 'typing' });
    await page.keyboard.type('Three');
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('Three');
    await page.getByRole('button', { name: 'Stop the answer' }).click();
    expect((await calls()).slice(-2)).toEqual(['send "One\\nTwo"', 'stop']);
    await setState({ activity: 'none' });
    await page.getByRole('button', { name: 'Send' }).click();
    expect((await calls()).at(-1)).toBe('send "Three"');
    expect(await focused()).toBe('Your message');
  });

  test('keeps a draft while the panel is closed, and never grows beyond five lines', async () => {
    await gallery.show('draft');
    const height = () => gallery.page.getByRole('textbox').evaluate((field) => field.clientHeight);
    expect(await height()).toBe(5 * 22 + 22);
    await gallery.page.evaluate(() => {
      window.stage.panel.close();
      window.stage.panel.open();
    });
    expect(await gallery.page.getByRole('textbox').inputValue()).toContain('scratch');
    expect(await height()).toBe(5 * 22 + 22);
  });
});

test('an empty field has the direction of the panel, and text its own', async () => {
  await gallery.show('rtl');
  const [avatar, title] = await Promise.all(
    ['.avatar', 'h2 bdi'].map((part) => gallery.page.locator(part).boundingBox()),
  );
  expect((avatar?.x ?? 0) - (title?.x ?? 0) - (title?.width ?? 0)).toBeCloseTo(10, 0);
  const direction = () =>
    gallery.page.getByRole('textbox').evaluate((field) => getComputedStyle(field).direction);
  expect(await direction()).toBe('rtl');
  await gallery.page.getByRole('textbox').fill('Hello');
  expect(await direction()).toBe('ltr');
});

const calls = () => gallery.page.evaluate(() => window.stage.calls);
const setState = (changes: Partial<ChatState>) =>
  gallery.page.evaluate((state) => window.stage.setState(state), changes);
/** The name of what has the focus in the panel. */
const focused = () =>
  gallery.page.evaluate(() => {
    const element = document.querySelector('svc-widget')?.shadowRoot?.activeElement;
    return element?.ariaLabel ?? element?.textContent;
  });
