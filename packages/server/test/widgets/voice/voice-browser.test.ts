import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, startBrowser } from '../../support/browser.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { type Site, snippet, startSite, widgetOn } from '../browser/start-site.ts';
import { createWidget } from '../use-widget.ts';
import { createTestExchange, strengthAt, tone } from './test-exchange.ts';

const exchange = createTestExchange();
const hz = 1_000;
let folder: string;
let service: TestApp;
let site: Site;
let browser: Browser;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-voice-'));
  const file = join(folder, 'microphone.wav');
  await writeFile(file, wav(tone(1_000, hz)));
  [service, site, browser] = await Promise.all([
    startTestApp({ webVoice: exchange.ports }),
    startSite(),
    startBrowser([
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${file}`,
    ]),
  ]);
  const widget = await createWidget(service, { key: { allowed_domains: ['*.shop.localhost'] } });
  key = widget.api_key;
  const body = { bot_id: widget.bot_id, voice_enabled: true };
  await service.call('PUT /api/v1/widgets/customization', { body });
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('carries both voices, shows what is said, and ends', async () => {
  const { page, complaints } = await browser.open();
  const policy = `default-src 'none'; script-src ${service.url}; connect-src ${service.url} ${service.url.replace('http', 'ws')}; require-trusted-types-for 'script'; trusted-types 'none'`;
  const headers = { 'content-security-policy': policy };
  const address = site.put('/call', { head: snippet(service.url, key), headers }, 'call.shop.localhost');
  await page.goto(address);
  const { launcher, panel, composer } = widgetOn(page);
  await launcher.click();
  await panel.getByRole('button', { name: 'Talk' }).click();
  await expect.poll(() => exchange.calls.length).toBe(1);
  const [call] = exchange.calls;
  if (!call) throw new Error('There is no call.');
  const { line, heard } = call;
  await panel.getByText('Listening', { exact: true }).waitFor();
  expect(await panel.locator('time').textContent()).toMatch(/^1[45]:\d\d$/);

  await expect.poll(() => heard.length).toBeGreaterThan(100);
  const voice = Buffer.concat(heard.slice(50, 100));
  expect(strengthAt(voice, hz)).toBeGreaterThan(0.05);
  expect(strengthAt(voice, hz)).toBeGreaterThan(10 * strengthAt(voice, 700));

  line.show?.({ type: 'heard', text: 'Where is', isFinal: false });
  line.show?.({ type: 'heard', text: 'Where is my parcel?', isFinal: true });
  line.show?.({ type: 'state', state: 'thinking' });
  await panel.getByText('Thinking…', { exact: true }).waitFor();
  line.send(tone(600));
  line.show?.({ type: 'state', state: 'speaking' });
  line.show?.({ type: 'said', text: 'It arrives tomorrow, before noon.' });
  expect(line.queuedMs).toBeCloseTo(600, 0);
  expect(await line.drained()).toBe('played');
  expect(line.playedMs).toBeCloseTo(600, 0);

  // Only a part of the next answer is heard.
  line.send(tone(10_000));
  await expect.poll(() => line.playedMs).toBeGreaterThan(800);
  const drained = line.drained();
  line.clear();
  expect(await drained).toBe('cleared');
  expect(line.queuedMs).toBe(line.playedMs);
  line.show?.({ type: 'cut', text: 'It arrives tomorrow' });
  const after = heard.length;
  await expect.poll(() => heard.length).toBeGreaterThan(after + 50);
  const stopped = line.playedMs;
  expect(stopped).toBeLessThan(3_000);
  line.send(tone(100));
  expect(await line.drained()).toBe('played');
  expect(line.playedMs - stopped).toBeCloseTo(100, 0);
  const bubbles = await panel.locator('.bubble').allInnerTexts();
  expect(bubbles.map((text) => text.trim())).toEqual(['Where is my parcel?', 'It arrives tomorrow']);

  await panel.getByRole('button', { name: 'Turn the microphone off' }).click();
  line.show?.({ type: 'state', state: 'listening' });
  await panel.getByText('Microphone off', { exact: true }).waitFor();
  const muted = heard.length + 25;
  await expect.poll(() => heard.length).toBeGreaterThan(muted + 25);
  expect(strengthAt(Buffer.concat(heard.slice(muted, muted + 25)), hz)).toBe(0);

  await page.keyboard.press('Escape');
  await expect.poll(() => call.end).toEqual({ cause: 'remote_hangup' });
  await composer.waitFor();
  expect(await panel.getByRole('alert').textContent()).toBe('The call has ended.');
  expect(complaints).toEqual([]);

  // The service ends the next one.
  await service.database.query.execute(`update voice_calls set status = 'completed', ended_at = now()`);
  await panel.getByRole('button', { name: 'Talk' }).click();
  await expect.poll(() => exchange.calls.length).toBe(2);
  exchange.calls[1]?.line.show?.({ type: 'ending', reason: 'max_duration' });
  exchange.calls[1]?.line.hangUp();
  await panel.getByText('The time for this call is over.').waitFor();
  await expect.poll(() => exchange.calls[1]?.end).toEqual({ cause: 'local_hangup' });
  await page.close();
});

it('explains that the microphone is blocked', async () => {
  const before = exchange.calls.length;
  const { page } = await browser.open();
  await page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('No.', 'NotAllowedError'));
  });
  await page.goto(site.put('/no', { head: snippet(service.url, key) }, 'no.shop.localhost'));
  const { launcher, panel, composer } = widgetOn(page);
  await launcher.click();
  await panel.getByRole('button', { name: 'Talk' }).click();
  await panel.getByText(/^The microphone is blocked/).waitFor();
  await composer.waitFor();
  expect(exchange.calls.length).toBe(before);
  await page.close();
});

function wav(audio: Buffer): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + audio.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(audio.length, 40);
  return Buffer.concat([header, audio]);
}
