import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTrustedLane } from '../../../src/egress/trusted-lane.ts';
import { createCartesiaSpeaker } from '../../../src/voice/speech/cartesia/cartesia-speaker.ts';
import { createElevenLabsSpeaker } from '../../../src/voice/speech/elevenlabs/elevenlabs-speaker.ts';
import { SpeechFailed, type TextToSpeech } from '../../../src/voice/speech/speech.ts';
import { patienceMs } from '../../support/patience.ts';
import { type FakeCartesia, startFakeCartesia } from '../../support/voice/fake-cartesia.ts';
import { type FakeElevenLabs, startFakeElevenLabs } from '../../support/voice/fake-elevenlabs.ts';
import { speechOf } from '../../support/voice/fake-speech.ts';
import { saying, voicesNamed } from './support.ts';

const apiKey = 'canary-key-71c4';
const voices = voicesNamed(230);
const lane = createTrustedLane();
const patient = { firstAudioMs: 30_000, pauseMs: 30_000, totalMs: 60_000, retryMs: 50, busyMs: 100 };
let elevenLabs: FakeElevenLabs;
let cartesia: FakeCartesia;

beforeAll(async () => {
  elevenLabs = await startFakeElevenLabs({ apiKey, voices });
  cartesia = await startFakeCartesia({ apiKey, voices });
});
afterEach(() => {
  for (const { faults } of [elevenLabs, cartesia]) {
    delete faults.status;
    delete faults.speaking;
    delete faults.cutOff;
    delete faults.busy;
  }
  elevenLabs.spoken.length = 0;
  cartesia.spoken.length = 0;
  cartesia.cancelled.length = 0;
});
afterAll(async () => {
  await lane.close();
  await elevenLabs.close();
  await cartesia.close();
});

const makers = {
  ElevenLabs: (limits = patient, key = apiKey): TextToSpeech =>
    createElevenLabsSpeaker({ apiKey: key, baseUrl: elevenLabs.url, lane, limits }),
  Cartesia: (limits = patient, key = apiKey): TextToSpeech =>
    createCartesiaSpeaker({ apiKey: key, baseUrl: cartesia.url, lane, limits }),
};
const fakeOf = (name: string) => (name === 'ElevenLabs' ? elevenLabs : cartesia);

describe.each(['ElevenLabs', 'Cartesia'] as const)('%s', (name) => {
  const create = makers[name];

  it.each(['mulaw-8000', 'pcm16-16000'] as const)('passes its audio on unchanged, as %s', async (format) => {
    const speaker = create().open({ format, voice: 'rachel' });
    const audio = await saying(speaker, 'Good morning, how are you?');
    expect(audio.equals(speechOf('Good morning, how are you?', format, 10))).toBe(true);
    const both = await Promise.all([saying(speaker, 'The first one.'), saying(speaker, 'And the second.')]);
    expect(both[0]?.equals(speechOf('The first one.', format, 10))).toBe(true);
    expect(both[1]?.equals(speechOf('And the second.', format, 10))).toBe(true);
    speaker.close();
    speaker.close();
    await expect(saying(speaker, 'Too late.')).rejects.toThrow(SpeechFailed);
  });

  it('stops when it is aborted, and continues with the next sentence', async () => {
    const fake = fakeOf(name);
    fake.faults.speaking = 'endless';
    const speaker = create().open({ format: 'mulaw-8000' });
    const aborting = new AbortController();
    const heard = Promise.withResolvers<void>();
    const attempt = speaker.say('Never mind.', () => heard.resolve(), aborting.signal);
    await heard.promise;
    aborting.abort(new Error('barge-in'));
    await expect(attempt).rejects.toThrow('barge-in');
    await expect(saying(speaker, 'Never said.', aborting.signal)).rejects.toThrow('barge-in');
    delete fake.faults.speaking;
    expect((await saying(speaker, 'Next.')).equals(speechOf('Next.', 'mulaw-8000', 10))).toBe(true);
    speaker.close();
  });

  it('asks again for a sentence that was cut off before its audio, once', async () => {
    const fake = fakeOf(name);
    fake.faults.cutOff = 1;
    const speaker = create().open({ format: 'mulaw-8000' });
    expect((await saying(speaker, 'Again.')).equals(speechOf('Again.', 'mulaw-8000', 10))).toBe(true);
    expect(fake.spoken).toHaveLength(2);
    fake.faults.cutOff = 100;
    await expect(saying(speaker, 'Never.')).rejects.toThrow(SpeechFailed);
    // The lane itself repeats what it sent on a connection that was idle before.
    expect(fake.spoken.length).toBeLessThanOrEqual(6);
    fake.faults.cutOff = 0;
    expect((await saying(speaker, 'Better.')).length).toBeGreaterThan(0);
    speaker.close();
  });

  it('asks again for a sentence that was one too many', async () => {
    const fake = fakeOf(name);
    fake.faults.busy = 1;
    const speaker = create().open({ format: 'mulaw-8000' });
    const both = await Promise.all([saying(speaker, 'The first one.'), saying(speaker, 'And the second.')]);
    expect(both[0]?.equals(speechOf('The first one.', 'mulaw-8000', 10))).toBe(true);
    expect(both[1]?.equals(speechOf('And the second.', 'mulaw-8000', 10))).toBe(true);
    expect(fake.spoken).toHaveLength(3);
    speaker.close();
    const waiting = create({ ...patient, busyMs: patienceMs }).open({ format: 'mulaw-8000' });
    fake.faults.busy = 4;
    expect((await saying(waiting, 'At last.')).equals(speechOf('At last.', 'mulaw-8000', 10))).toBe(true);
    waiting.close();
    const hasty = create({ ...patient, busyMs: 0 }).open({ format: 'mulaw-8000' });
    fake.faults.busy = 2;
    await expect(saying(hasty, 'Never.')).rejects.toThrow(`${name} allows no more requests at the moment.`);
    hasty.close();
  });

  it.each([
    [401, /refused the key: check \w+_API_KEY/],
    [403, /refused the key/],
    [402, /no credit/],
    [429, /no more requests/],
    [500, /HTTP 500/],
  ])('says what HTTP %s means, without the key', async (status, message) => {
    fakeOf(name).faults.status = status;
    const speaker = create().open({ format: 'mulaw-8000' });
    const attempt = saying(speaker, 'Hello.');
    await expect(attempt).rejects.toThrow(SpeechFailed);
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.not.toThrow(/canary/);
    speaker.close();
  });

  it.each([
    ['silent', /no audio within 0.3 seconds/],
    ['endless', /far more audio/],
  ] as const)('fails when the provider is %s', async (fault, message) => {
    fakeOf(name).faults.speaking = fault;
    const limits = fault === 'silent' ? { ...patient, firstAudioMs: 300 } : patient;
    const speaker = create(limits).open({ format: 'mulaw-8000' });
    await expect(saying(speaker, 'Hi')).rejects.toThrow(message);
    speaker.close();
  });

  it('lists all pages of its voices', async () => {
    const found = await create().listVoices(AbortSignal.timeout(30_000));
    expect(found).toEqual(voices);
    const wrong = create(patient, 'wrong').listVoices(AbortSignal.timeout(30_000));
    await expect(wrong).rejects.toThrow(`${name} refused the key`);
  });
});

it('ElevenLabs is told what came before, and ends without audio or in the middle of it as a failure', async () => {
  const speaker = makers.ElevenLabs().open({ format: 'mulaw-8000' });
  await saying(speaker, 'One.');
  await saying(speaker, 'Two.');
  expect(elevenLabs.spoken).toEqual([{ text: 'One.' }, { text: 'Two.', previousText: 'One.' }]);
  elevenLabs.faults.speaking = 'empty';
  await expect(saying(speaker, 'Nothing.')).rejects.toThrow('sent no audio');
  elevenLabs.faults.speaking = 'page';
  await expect(saying(speaker, 'Noise.')).rejects.toThrow('sent something else than audio');
  speaker.close();
  elevenLabs.faults.speaking = 'stops';
  const hasty = makers.ElevenLabs({ ...patient, pauseMs: 300 }).open({ format: 'mulaw-8000' });
  await expect(saying(hasty, 'Half.')).rejects.toThrow('stopped in the middle');
  hasty.close();
});

it('Cartesia uses one socket for a call, connects again, and ignores what comes too late', async () => {
  cartesia.received.length = 0;
  const speaker = makers.Cartesia().open({ format: 'mulaw-8000' });
  cartesia.faults.speaking = 'late';
  await saying(speaker, 'One.');
  await saying(speaker, 'Two.');
  expect(cartesia.received).toHaveLength(1);
  for (const socket of cartesia.sockets) socket.close(1_001);
  await expect.poll(() => cartesia.sockets.size).toBe(0);
  await saying(speaker, 'Three.');
  expect(cartesia.received).toHaveLength(2);
  cartesia.faults.speaking = 'garbage';
  await expect(saying(speaker, 'Four.')).rejects.toThrow('Cartesia sent a message that cannot be read.');
  cartesia.faults.speaking = 'error';
  await expect(saying(speaker, 'Five.')).rejects.toThrow('Cartesia answered with HTTP 400.');
  speaker.close();
});

it('Cartesia is told to cancel a sentence', async () => {
  cartesia.faults.speaking = 'silent';
  const speaker = makers.Cartesia().open({ format: 'mulaw-8000' });
  const aborting = new AbortController();
  const attempt = saying(speaker, 'Stop.', aborting.signal);
  await expect.poll(() => cartesia.spoken).toEqual(['Stop.']);
  aborting.abort(new Error('enough'));
  await expect(attempt).rejects.toThrow('enough');
  await expect.poll(() => cartesia.cancelled.length).toBe(1);
  speaker.close();
});
