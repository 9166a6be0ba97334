import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ChatMessage, ChatState } from '../../src/client/chat-state.ts';
import { type Gallery, openGallery, sizes } from './open-gallery.ts';

let gallery: Gallery;
beforeAll(async () => {
  gallery = await openGallery();
});
beforeEach(() => gallery.page.setViewportSize(sizes.desktop));
afterAll(() => gallery.close());

const calls = () => gallery.page.evaluate(() => window.stage.calls);
const setState = (changes: Partial<ChatState>) =>
  gallery.page.evaluate((state) => window.stage.setState(state), changes);
const focused = () =>
  gallery.page.evaluate(() => {
    const element = document.querySelector('svc-widget')?.shadowRoot?.activeElement;
    return element?.ariaLabel ?? element?.textContent;
  });
const teaser = () => gallery.page.locator('.teaser');
const spoken = () => gallery.page.locator('.spoken').textContent();

test('shows who wrote and the beginning of it, without marks, and never takes the focus', async () => {
  const { page } = gallery;
  await gallery.show('teaser');
  await teaser().waitFor();
  const [author, line] = (await teaser().getByRole('button').first().innerText()).split('\n');
  expect(author).toBe('Ada Lovelace');
  expect(line).toMatch(/^Hello, this is Ada\. A new one leaves today: You will get a mail with the number\./);
  expect(await focused()).toBeUndefined();
  await expect.poll(spoken).toMatch(/^Ada Lovelace: Hello, this is Ada\. A new one/);
  const lines = await teaser()
    .locator('.line')
    .evaluate((element) => element.clientHeight / 22);
  expect(lines).toBe(3);
  await teaser().getByRole('button', { name: 'Ada Lovelace' }).click();
  expect((await calls()).at(-1)).toBe('open');
  await page.evaluate(() => window.stage.panel.open());
  await setState({ unread: 0 });
  expect(await teaser().count()).toBe(0);
  expect(await spoken()).toBe('');
});

test.each(['button', 'Escape'])('does not come back once it was put away: %s', async (by) => {
  const { page } = gallery;
  await gallery.show('teaser');
  const close = teaser().getByRole('button', { name: 'Close the preview' });
  await close.focus();
  if (by === 'button') await close.press('Enter');
  else await page.keyboard.press('Escape');
  expect(await teaser().count()).toBe(0);
  expect(await focused()).toMatch(/^Open chat/);
  await setState({ typist: null });
  expect(await teaser().count()).toBe(0);
  // The next message does.
  await say('later', 'And one more.');
  await expect.poll(() => teaser().locator('.line').textContent()).toBe('And one more.');
});

test('leaves out what was there before, what the bot writes, and other conversations', async () => {
  await gallery.show('teaser');
  await teaser().waitFor();
  await setState({ thread: {}, messages: [], phase: 'loading', unread: 0 });
  await expect.poll(() => teaser().count()).toBe(0);
  await say('old', 'This was there before.');
  await gallery.page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await teaser().count()).toBe(0);
  await say('of the bot', 'Of the bot.', 'bot');
  await gallery.page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await teaser().count()).toBe(0);
  await say('new', 'This is new.');
  await expect.poll(() => teaser().locator('.line').textContent()).toBe('This is new.');
});

test('is in the corner of the launcher, within the screen, and is not printed', async () => {
  const { page } = gallery;
  for (const [scene, side, end] of [
    ['teaser', 'right', 'bottom'],
    ['teaser-top-left', 'left', 'top'],
    ['teaser-rtl', 'left', 'bottom'],
  ] as const) {
    for (const size of [sizes.desktop, { width: 390, height: 740 }, { width: 320, height: 568 }]) {
      await page.setViewportSize(size);
      await gallery.show(scene);
      const box = await teaser().boundingBox();
      if (!box) throw new Error('It is not shown.');
      const place = {
        left: box.x,
        right: size.width - box.x - box.width,
        top: box.y,
        bottom: size.height - box.y - box.height,
      };
      expect([place[side], place[end]].map(Math.round), scene).toEqual([20, 88]);
      expect(Math.min(place.left, place.right), scene).toBeGreaterThanOrEqual(20);
    }
  }
  await page.emulateMedia({ media: 'print' });
  expect(await teaser().isVisible()).toBe(false);
  await page.emulateMedia({ media: null });
});

function say(id: string, text: string, from: ChatMessage['from'] = 'person'): Promise<void> {
  return gallery.page.evaluate(
    (added) =>
      window.stage.setState({
        phase: 'ready',
        unread: 1,
        messages: [
          { state: 'done', citations: [], author: null, createdAt: new Date().toISOString(), ...added },
        ],
      }),
    { id, text, from },
  );
}
