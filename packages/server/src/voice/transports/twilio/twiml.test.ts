import { expect, test } from 'vitest';
import { addressOfAnnouncement, dialTwiml } from './twiml.ts';

const dialedUrl = `https://svc.example.com/hooks?call=${'c'.repeat(200)}`;

test.each([
  ['a short text whole', 'A caller asks about a parcel.', 29],
  ['a long one as far as it fits', 'ж😀'.repeat(800), 222],
])('announces %s', (_what, text, length) => {
  const url = addressOfAnnouncement(dialedUrl, { text, language: 'en-US' });
  const announced = new URL(url).searchParams.get('announce') ?? '';
  expect(text.startsWith(announced)).toBe(true);
  expect(Array.from(announced)).toHaveLength(length);
  const dialed = { callerId: '+4930100', to: '+4930200', url: dialedUrl, announceUrl: url };
  expect(dialTwiml({ ...dialed, seconds: 30, maxTalkSeconds: 600 }).length).toBeLessThan(4_000);
});
