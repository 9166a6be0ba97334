import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sampleOf } from '../../../server/test/support/sample.ts';
import type { ChatState } from '../../src/client/chat-state.ts';
import { findViolations } from './find-violations.ts';
import { type Gallery, openGallery, sizes } from './open-gallery.ts';

let gallery: Gallery;

beforeAll(async () => {
  gallery = await openGallery();
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await gallery.page.evaluate(await readFile(axe, 'utf8'));
});
beforeEach(() => gallery.page.setViewportSize(sizes.desktop));
afterAll(() => gallery.close());

/** The rest does not depend on the theme or the size of the screen. */
const rulesOfLooks = ['color-contrast', 'scrollable-region-focusable'];

test.for([
  ['desktop', 'light', { rules: { 'target-size': { enabled: true } } }],
  ['phone', 'dark', { runOnly: rulesOfLooks }],
] as const)('axe finds nothing in any scene: %s, %s', async ([device, theme, options]) => {
  await gallery.page.setViewportSize(sizes[device]);
  const found: string[] = [];
  // On the phone, in the dark, a run tries a third of them.
  for (const name of theme === 'light' ? gallery.names : sampleOf(gallery.names, 3)) {
    await gallery.show(name, theme);
    found.push(
      ...(await findViolations(gallery.page, options as RunOptions)).map(
        (violation) => `${name}: ${violation}`,
      ),
    );
  }
  expect(found).toEqual([]);
  expect(gallery.complaints).toEqual([]);
});

test('each scene shows what it is about', async () => {
  const shown: [scene: string, ...texts: string[]][] = [
    ['greeting', 'Shop help', 'Hi! How can I help?', 'Hello! Ask me about', 'Powered by svc'],
    ['citation', 'Opened goods may be sent back within 30 days'],
    ['looking', 'Looking that up…'],
    ['checking', 'Somebody is checking this.'],
    ['stopped', 'Stopped.'],
    ['handedOff', 'A person has been asked', 'A person will answer here.'],
    ['takenOver', 'You are now talking to a person', 'A person will answer here.'],
    ['returned', 'The assistant is answering again', 'You are welcome.'],
    ['person', 'Ada Lovelace', 'Team'],
    ['personTyping', 'Ada Lovelace is typing…'],
    ['offline', 'No connection. Your message is kept.'],
    ['unsent', 'Not sent.', 'Try again'],
    ['resting', 'The assistant is resting right now.'],
    ['blocked', 'This chat is not available on this site.'],
    ['rich', '<b>not bold</b>', 'pictures.example.com'],
  ];
  for (const [scene, ...texts] of shown) {
    await gallery.show(scene);
    const text = await gallery.page.locator('.panel').innerText();
    for (const part of texts) expect(text, scene).toContain(part);
  }
  // A person who writes without taking over does not stop the bot.
  await gallery.show('returned');
  await gallery.page.evaluate(() => window.stage.setState({ returnedAfter: null }));
  await expect.poll(() => gallery.page.locator('.panel').innerText()).not.toContain('answering again');
  await gallery.show('greeting-plain');
  const plain = await gallery.page.locator('.panel').innerText();
  expect(plain).not.toMatch(/Powered by|Hello!/);
});

test('the avatar is a picture, or a letter where there is none or it does not load', async () => {
  const avatar = gallery.page.locator('.avatar');
  await gallery.show('avatar');
  await expect
    .poll(() => avatar.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(1);
  await gallery.show('avatar-broken');
  await expect.poll(() => avatar.innerText()).toBe('S');
  await gallery.show('greeting');
  expect(await avatar.innerText()).toBe('S');
});

test('the theme of the page decides, and the system if the page leaves it open', async () => {
  const { page } = gallery;
  const ground = () => page.locator('.panel').evaluate((panel) => getComputedStyle(panel).backgroundColor);
  const [light, dark] = ['rgb(255, 255, 255)', 'rgb(23, 25, 28)'];
  await gallery.show('greeting', 'light');
  expect(await ground()).toBe(light);
  await gallery.show('greeting', 'dark');
  expect(await ground()).toBe(dark);
  await gallery.show('greeting', 'auto');
  expect(await ground()).toBe(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(ground).toBe(dark);
  await page.emulateMedia({ colorScheme: null });
});

describe('screen readers', () => {
  const status = () => gallery.page.locator('[role=status]').textContent();

  test('hear that an answer is coming, then all of it, once', async () => {
    const { page } = gallery;
    await gallery.show('sending');
    expect(await status()).toBe('Typing…');
    expect(await page.getByRole('log').getAttribute('aria-live')).toBe('off');
    await page.evaluate(() => {
      const { messages = [] } = window.scenes['streaming']?.state ?? {};
      window.stage.setState({ messages, activity: 'typing' });
    });
    expect(await status()).toBe('Typing…');
    await page.evaluate(() => {
      const { messages = [] } = window.scenes['answered']?.state ?? {};
      window.stage.setState({ messages, activity: 'none' });
    });
    await expect.poll(status).toMatch(/^Yes, within 30 days if nothing is damaged/);
    expect(await calls()).toContainEqual(expect.stringContaining('emit message {"from":"bot","text":"Yes,'));
  });

  test('hear every message of an answer that has several', async () => {
    await gallery.show('sending');
    const say = (ids: string[], activity: ChatState['activity']) =>
      gallery.page.evaluate(
        ([said, doing]) => {
          const [question, answer] = window.scenes['answered']?.state?.messages ?? [];
          if (!question || !answer) return;
          const added = said.map((id) => ({ ...answer, id, text: `Text of ${id}.`, citations: [] }));
          window.stage.setState({ messages: [question, ...added], activity: doing });
        },
        [ids, activity] as const,
      );
    await say(['one'], 'looking');
    expect(await status()).toBe('Text of one. Looking that up…');
    await say(['one', 'two'], 'none');
    expect(await status()).toBe('Text of two.');
    await setState({ isOnline: false });
    expect(await status()).toBe('No connection. Your message is kept.');
    await setState({ isOnline: true });
    expect(await status()).toBe('');
  });

  test('do not hear a history that is read', async () => {
    await gallery.show('loading');
    await gallery.page.evaluate(() => {
      window.stage.setState({ phase: 'ready', ...window.scenes['answered']?.state });
    });
    await gallery.page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await status()).toBe('');
    expect((await calls()).filter((call) => call.startsWith('emit'))).toEqual([]);
  });

  test('hear what went wrong immediately', async () => {
    await gallery.show('outage');
    expect(await gallery.page.getByRole('alert').textContent()).toBe('The chat cannot be reached right now.');
    await gallery.page.getByRole('button', { name: 'Try again' }).click();
    expect(await calls()).toContain('retry');
    await gallery.show('rateLimited');
    expect(await gallery.page.getByRole('alert').textContent()).toContain('try again in 5 minutes');
    expect(await gallery.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await setState({ trouble: { kind: 'rate_limited', retryAt: Date.now() - 1 } });
    await gallery.page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await gallery.page.getByRole('alert').textContent()).toBe('Not sent.');
  });
});

describe('a long answer', () => {
  test('keeps what is shown of it while more is written', async () => {
    const { page } = gallery;
    await gallery.show('streaming');
    const paragraph = await page.locator('.bot p').nth(1).elementHandle();
    await page.evaluate(() => {
      const { messages = [] } = window.scenes['answered']?.state ?? {};
      window.stage.setState({
        messages: messages.map((message) => ({ ...message, citations: [], state: 'streaming' })),
      });
    });
    expect(await page.locator('.bot ol li').count()).toBe(3);
    expect(await paragraph?.evaluate((element) => element.isConnected)).toBe(true);
  });

  const log = () =>
    gallery.page.getByRole('log').evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({
      top: scrollTop,
      fromEnd: scrollHeight - clientHeight - scrollTop,
    }));

  test('is followed until its question is at the top', async () => {
    await gallery.show('long');
    const question = await gallery.page.locator('.visitor').last().boundingBox();
    const box = await gallery.page.getByRole('log').boundingBox();
    expect((question?.y ?? 0) - (box?.y ?? 0)).toBeCloseTo(12, 0);
    await gallery.page.getByRole('button', { name: 'New messages' }).click();
    expect((await log()).fromEnd).toBeLessThan(2);
    await expect.poll(() => gallery.page.getByRole('button', { name: 'New messages' }).count()).toBe(0);
  });

  test('leaves readers alone that have scrolled up', async () => {
    const { page } = gallery;
    await gallery.show('long');
    // The panel scrolls to the question by itself, and hears of our scrolling with the next frame.
    await expect
      .poll(async () => {
        await page.getByRole('log').evaluate(async (element) => {
          element.scrollTo(0, 0);
          for (let frame = 0; frame < 2; frame += 1)
            await new Promise((resolve) => requestAnimationFrame(resolve));
        });
        return (await log()).top;
      })
      .toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'New messages' }).textContent()).toBe('');
    await page.evaluate(() => {
      const { messages = [] } = window.scenes['long']?.state ?? {};
      const [first] = messages;
      if (first)
        window.stage.setState({ messages: [...messages, { ...first, id: 'later', from: 'person' }] });
    });
    const jump = page.getByRole('button', { name: 'New messages' });
    await expect.poll(() => jump.textContent()).toBe('New messages');
    expect((await log()).top).toBe(0);
  });
});

const calls = () => gallery.page.evaluate(() => window.stage.calls);
const setState = (changes: Partial<ChatState>) =>
  gallery.page.evaluate((state) => window.stage.setState(state), changes);
