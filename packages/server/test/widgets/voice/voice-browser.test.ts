import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { privateNames } from '../../../../widget/private-names.ts';
import { createLog } from '../../../src/lib/log.ts';
import { createLocalSpeech } from '../../../src/voice/speech/local/local-speech.ts';
import { text } from '../../scripted-model/script.ts';
import { type Browser, startBrowser } from '../../support/browser.ts';
import { pitchOf } from '../../support/voice/fake-speech.ts';
import { writeSpokenFile } from '../../support/voice/speech-files.ts';
import { type Site, snippet, startSite, widgetOn } from '../browser/start-site.ts';
import { startWebVoice, type WebVoice } from './use-web-voice.ts';

declare global {
  interface Window {
    /** The loudest frequencies that the page has played. */
    played: number[];
    /** What the call has shown of its state. */
    states: string[];
  }
}

const key = { allowed_domains: ['*.shop.localhost'] };
const sentence = 'This sentence about parcels is rather long and takes a while to be spoken.';
const next = 'More of the same follows, which is as long and takes as much time as the rest.';
const long = [sentence, ...Array.from({ length: 11 }, () => next)].join(' ');
let folder: string;
let voice: WebVoice;
let site: Site;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-voice-'));
  const file = join(folder, 'microphone.wav');
  const speech = createLocalSpeech({ log: createLog({ level: 'silent', readable: false }) });
  // The visitor says the same again and again, and so interrupts long answers, but not the greeting, even if it comes late.
  await writeSpokenFile(speech, file, 'Where is my parcel, please?', { beforeMs: 5_000, afterMs: 500 });
  speech.stop();
  [voice, site, browser] = await Promise.all([
    startWebVoice(),
    startSite(),
    startBrowser([
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${file}`,
    ]),
  ]);
  voice.understands.push(...Array.from({ length: 1_000 }, () => 'Where is my parcel?'));
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await voice?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Notes what reaches the loudspeaker. */
function listenToLoudspeaker(): void {
  window.played = [];
  const { connect } = AudioNode.prototype;
  AudioNode.prototype.connect = function (this: AudioNode, ...to: unknown[]) {
    const { context } = this;
    if (to[0] === context.destination) {
      const analyser = new AnalyserNode(context, { fftSize: 8_192, smoothingTimeConstant: 0 });
      const levels = new Float32Array(analyser.frequencyBinCount);
      Reflect.apply(connect, this, [analyser]);
      setInterval(() => {
        analyser.getFloatFrequencyData(levels);
        const loudest = levels.indexOf(Math.max(...levels));
        if ((levels[loudest] ?? 0) > -50) window.played.push((loudest * context.sampleRate) / 8_192);
      }, 30);
    }
    return Reflect.apply(connect, this, to);
  } as typeof connect;
}

/** Opens the chat on a page of the shop. */
async function openChat(apiKey: string, name: string, headers = {}) {
  const { open, context } = await browser.openFor({});
  const opened = await open();
  const { page } = opened;
  await page.addInitScript(listenToLoudspeaker);
  await page.goto(
    site.put(`/${name}`, { head: snippet(voice.service.url, apiKey), headers }, 'call.shop.localhost'),
  );
  const parts = widgetOn(page);
  await parts.launcher.click();
  const talk = parts.panel.getByRole('button', { name: 'Talk' });
  await talk.waitFor();
  const note = (words: string | RegExp) => parts.panel.locator('.divider', { hasText: words });
  return { ...opened, ...parts, context, open, talk, note };
}

/** Notes the states of calls, and turns the microphone off after some words: at once, because the next ones follow soon. */
async function watchCalls(page: Page, maxWords: number): Promise<void> {
  await page.evaluate((max) => {
    window.states = [];
    const root = document.querySelector('svc-widget')?.shadowRoot;
    if (!root) throw new Error('There is no widget.');
    let words = -1;
    new MutationObserver(() => {
      const shown = root.querySelector('.call [role=status]')?.textContent;
      if (shown && shown !== window.states.at(-1)) window.states.push(shown);
      const mute = root.querySelector<HTMLElement>('.call [aria-pressed]');
      const count = root.querySelectorAll('.visitor').length;
      if (!mute || count <= words || count < max) return;
      words = count;
      setTimeout(() => mute.click(), count * 700);
    }).observe(root, { subtree: true, childList: true, characterData: true });
  }, maxWords);
}

async function heardTone(page: Page, spoken: string): Promise<void> {
  const pitch = pitchOf(spoken);
  await expect
    .poll(() => page.evaluate(() => window.played))
    .toContainEqual(expect.toSatisfy((hertz: number) => Math.abs(hertz - pitch) < 8));
}

it('carries a call between the visitor and the bot, and shows what is said', async () => {
  const { apiKey } = await voice.makeWidget({ key });
  const { url } = voice.service;
  const policy = `default-src 'none'; script-src ${url}; connect-src ${url} ${url.replace('http', 'ws')}; require-trusted-types-for 'script'; trusted-types 'none'`;
  const chat = await openChat(apiKey, 'call', { 'content-security-policy': policy });
  const { context, page, panel, composer, talk, complaints } = chat;
  const bubbles = async () => (await panel.locator('.bubble').allInnerTexts()).map((line) => line.trim());
  const mute = panel.getByRole('button', { name: 'Turn the microphone off' });
  const notes = () => panel.locator('.divider').allInnerTexts();
  // On a slow machine what is heard can fall into several turns.
  const answer = 'Your parcel is in Cologne. It arrives tomorrow.';
  voice.replies.push([text(long)], ...Array.from({ length: 5 }, () => [text(answer)]));
  await watchCalls(page, 1);
  await talk.click();
  await panel.locator('.bubble', { hasText: 'Hello, this is Acme.' }).waitFor();
  expect(await panel.locator('time').textContent()).toMatch(/^1[45]:\d\d$/);
  const callId = await voice.newest();

  // The visitor interrupts the long answer.
  await panel.locator('.bubble', { hasText: 'This sentence about parcels' }).waitFor();
  // Only now, because the microphone may speak as soon as it is on, and a reply that nobody heard is not shown.
  await heardTone(page, next);
  await mute.and(panel.locator('[aria-pressed=true]')).click();
  await panel.locator('.bubble', { hasText: answer }).waitFor();
  await panel.getByText('Microphone off', { exact: true }).waitFor();
  const spoken = async () =>
    (await voice.read(callId)).messages
      .map(({ content }: { content: string }) => content)
      .filter((content: string) => content !== '');
  await expect
    .poll(async () => JSON.stringify(await bubbles()) === JSON.stringify(await spoken()))
    .toBe(true);
  const lines = await bubbles();
  expect(lines[0]).toBe('Hello, this is Acme.');
  expect(lines.slice(-2)).toEqual(['Where is my parcel?', answer]);
  const cut = lines.find((line) => line.startsWith('This sentence about parcels'));
  expect(cut?.length).toBeLessThan(long.length * 0.75);
  await heardTone(page, 'Hello, this is Acme.');
  await heardTone(page, 'Your parcel is in Cologne.');
  await heardTone(page, 'It arrives tomorrow.');
  const states = await page.evaluate(() => window.states);
  expect(states).toEqual(expect.arrayContaining(['Connecting…', 'Speaking', 'Listening', 'Thinking…']));
  expect(states[0]).toBe('Connecting…');

  await page.keyboard.press('Escape');
  expect((await voice.over(callId)).call).toMatchObject({ end_reason: 'caller_hung_up', direction: 'web' });
  await composer.waitFor();
  expect(await notes()).toEqual(['The call has ended.']);
  expect(await talk.evaluate((button) => (button.getRootNode() as ShadowRoot).activeElement === button)).toBe(
    true,
  );

  // Another call comes after it, and a new conversation ends and removes both.
  await talk.click();
  await panel.locator('.bubble', { hasText: 'Hello, this is Acme.' }).nth(1).waitFor();
  expect((await bubbles()).slice(0, lines.length)).toEqual(lines);
  const secondId = await voice.newest();
  expect(secondId).not.toBe(callId);
  await panel.getByRole('button', { name: 'More options' }).click();
  await panel.getByRole('button', { name: 'New conversation' }).click();
  await composer.waitFor();
  await expect.poll(bubbles).toEqual([]);
  expect((await voice.over(secondId)).call.end_reason).toBe('caller_hung_up');
  voice.replies.length = 0;
  expect(complaints).toEqual([]);
  await context.close();
});

it('has one call in two tabs, which ends when its time is over', async () => {
  const { apiKey } = await voice.makeWidget({ key, bot: { max_call_seconds: 10 } });
  const first = await openChat(apiKey, 'first');
  // Muted, nothing is understood of what the visitor says meanwhile.
  await watchCalls(first.page, 0);
  await first.talk.click();
  await first.panel.locator('.bubble', { hasText: 'Hello, this is Acme.' }).waitFor();
  expect(await first.panel.locator('time').textContent()).toMatch(/^0:(10|0\d)$/);
  const callId = await voice.newest();
  const { page } = await first.open();
  await page.goto(first.page.url());
  const { launcher, panel } = widgetOn(page);
  await launcher.click();
  await panel.getByRole('button', { name: 'Talk' }).click();
  await panel.locator('.divider', { hasText: 'You are already talking in another window.' }).waitFor();
  await first.note('The time for this call is over.').waitFor();
  const { call, messages } = await voice.over(callId);
  expect(call.end_reason).toBe('max_duration');
  expect(messages.map(({ role }: { role: string }) => role)).not.toContain('user');
  await first.context.close();
});

it('ends the call when the connection is lost, when another user signs in, and when the page is left', async () => {
  const { apiKey } = await voice.makeWidget({ key });
  const { page, context, panel, talk, note } = await openChat(apiKey, 'left');
  const begin = async () => {
    const greetings = await panel.locator('.bubble', { hasText: 'Hello, this is Acme.' }).count();
    await talk.click();
    await panel.locator('.bubble', { hasText: 'Hello, this is Acme.' }).nth(greetings).waitFor();
    return voice.newest();
  };
  const lost = await begin();
  await context.setOffline(true);
  await note('The call was cut off.').waitFor();
  await context.setOffline(false);
  await voice.over(lost);

  const other = await begin();
  await page.evaluate(() => {
    const { svc } = window as unknown as { svc: { identify(user: object | null): void } };
    // No user had signed in, and none has now.
    svc.identify(null);
  });
  expect(await panel.getByRole('button', { name: 'Hang up' }).isVisible()).toBe(true);
  await page.evaluate(() => {
    const { svc } = window as unknown as { svc: { identify(user: object | null): void } };
    svc.identify({ user_id: '17', user_hash: 'x' });
  });
  expect((await voice.over(other)).call.end_reason).toBe('caller_hung_up');
  await expect.poll(() => panel.locator('.bubble').count()).toBe(0);
  await page.evaluate(() => {
    const { svc } = window as unknown as { svc: { identify(user: object | null): void } };
    svc.identify(null);
  });

  const left = await begin();
  await page.goto('about:blank');
  expect((await voice.over(left)).call.end_reason).toBe('caller_hung_up');
  await context.close();
});

it('explains why there is no microphone', async () => {
  const { apiKey, botId } = await voice.makeWidget({ key });
  const { context, page, panel, talk, note, composer } = await openChat(apiKey, 'no');
  const refuse = (name: string) =>
    page.evaluate((error) => {
      navigator.mediaDevices.getUserMedia = async () => {
        throw new DOMException('No.', error);
      };
    }, name);
  await refuse('NotAllowedError');
  await talk.click();
  await note(/^The microphone is blocked/).waitFor();
  await refuse('NotFoundError');
  await talk.click();
  await note('No microphone was found.').waitFor();
  await composer.waitFor();
  // Both are in the log, and no call was begun.
  expect(await panel.locator('.divider').count()).toBe(2);
  const begun = await voice.service.call(`GET /api/v1/conversations?channel=voice&bot_id=${botId}`);
  expect(begun.body).toEqual([]);
  await context.close();
});

it('has no shortened name that browsers know', async () => {
  const { page } = await browser.open();
  await page.goto(site.put('/names', {}));
  const known = await page.evaluate(() => {
    const names = new Set<string>();
    const add = (value: unknown) => {
      if (Object(value) === value) for (const name of Object.getOwnPropertyNames(value)) names.add(name);
    };
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(window))) {
      names.add(name);
      add(value);
      add(value?.prototype);
    }
    add(document.body.style);
    return [...names];
  });
  for (const name of ['adoptedStyleSheets', 'bufferedAmount', 'getUserMedia', 'addModule', 'toSpliced'])
    expect(known).toContain(name);
  expect(known.filter((name) => privateNames.test(name))).toEqual([]);
  await page.close();
});
