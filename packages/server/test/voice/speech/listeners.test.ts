import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTrustedLane } from '../../../src/egress/trusted-lane.ts';
import { type AudioFormat, silence } from '../../../src/voice/audio/format.ts';
import { createDeepgramListener } from '../../../src/voice/speech/deepgram/deepgram-listener.ts';
import { createElevenLabsListener } from '../../../src/voice/speech/elevenlabs/elevenlabs-listener.ts';
import { usualRecognitionLimits } from '../../../src/voice/speech/shared/recognition-stream.ts';
import type { SpeechToText } from '../../../src/voice/speech/speech.ts';
import { type FakeDeepgram, startFakeDeepgram } from '../../support/voice/fake-deepgram.ts';
import { type FakeElevenLabs, startFakeElevenLabs } from '../../support/voice/fake-elevenlabs.ts';
import { speechOf } from '../../support/voice/fake-speech.ts';
import { listening } from './support.ts';

const apiKey = 'canary-key-02ba';
const lane = createTrustedLane();
let deepgram: FakeDeepgram;
let elevenLabs: FakeElevenLabs;

beforeAll(async () => {
  deepgram = await startFakeDeepgram({ apiKey });
  elevenLabs = await startFakeElevenLabs({ apiKey });
});
afterEach(() => {
  for (const { faults, received } of [deepgram, elevenLabs]) {
    delete faults.status;
    delete faults.listening;
    received.length = 0;
  }
  deepgram.connections.length = 0;
});
afterAll(async () => {
  await lane.close();
  await deepgram.close();
  await elevenLabs.close();
});

const hasty = { ...usualRecognitionLimits, retryMs: 50 };
const makers = {
  Deepgram: (limits = hasty): SpeechToText =>
    createDeepgramListener({ apiKey, baseUrl: deepgram.url, lane, limits }),
  ElevenLabs: (limits = hasty): SpeechToText =>
    createElevenLabsListener({ apiKey, baseUrl: elevenLabs.url, lane, limits }),
};
const speech = (format: AudioFormat) => speechOf('a question', format, 20);

describe.each(['Deepgram', 'ElevenLabs'] as const)('%s', (name) => {
  const create = makers[name];
  const fake = () => (name === 'Deepgram' ? deepgram : elevenLabs);
  /** Only Deepgram tells when speech begins and when a turn is over. */
  const told = (events: string[]) =>
    name === 'Deepgram' ? events : events.filter((event) => event !== 'end of turn');

  it.each(['mulaw-8000', 'pcm16-16000'] as const)(
    'understands %s that was pushed before it was connected',
    async (format) => {
      const { stream, heard } = listening(create(), { format, language: 'en' });
      stream.finish();
      stream.push(speech(format));
      stream.push(silence(format, 400));
      const first = told(['partial hello', 'final hello there', 'end of turn']);
      await expect.poll(() => heard).toEqual(first);
      stream.push(speech(format));
      stream.finish();
      stream.finish();
      // ElevenLabs notices pauses itself, and would close a session that asks too early.
      if (name === 'ElevenLabs') stream.push(silence(format, 400));
      const second = told(['partial hello', 'final hello there']);
      await expect.poll(() => heard).toEqual([...first, ...second]);
      stream.close();
      stream.close();
      stream.push(speech(format));
      await expect.poll(() => fake().sockets.size).toBe(0);
      expect(heard).toEqual([...first, ...second]);
    },
  );

  it('continues after its connection broke, with what had no final text yet', async () => {
    const { stream, heard } = listening(create(), { format: 'mulaw-8000' });
    stream.push(speech('mulaw-8000'));
    await expect.poll(() => heard).toEqual(told(['partial hello']));
    for (const socket of fake().sockets) socket.terminate();
    stream.push(silence('mulaw-8000', 400));
    const again = told(['partial hello', 'final hello there', 'end of turn']);
    await expect.poll(() => heard).toEqual([...told(['partial hello']), ...again]);
    expect(fake().received).toHaveLength(2);
    stream.close();
  });

  it('is kept open without audio', async () => {
    const { stream } = listening(create({ ...hasty, keepAliveMs: 20 }), { format: 'mulaw-8000' });
    const before = elevenLabs.heardPieces;
    if (name === 'ElevenLabs') await expect.poll(() => elevenLabs.heardPieces).toBeGreaterThan(before + 1);
    else await expect.poll(() => deepgram.connections[0]?.messages).toContain('KeepAlive');
    stream.close();
    expect(fake().received).toHaveLength(1);
  });

  it('fails at once when the key is refused', async () => {
    fake().faults.status = 401;
    const { heard } = listening(create(), { format: 'mulaw-8000' });
    await expect.poll(() => heard).toHaveLength(1);
    expect(heard[0]).toMatch(new RegExp(`^failure ${name} refused the key: check \\w+_API_KEY\\.$`));
    expect(fake().received).toHaveLength(1);
  });

  it.each(['garbage', 'down'] as const)(
    'fails after two more attempts when the provider is %s',
    async (fault) => {
      if (fault === 'down') fake().faults.status = 503;
      else fake().faults.listening = fault;
      const { stream, heard } = listening(create(), { format: 'mulaw-8000' });
      await expect.poll(() => heard).toHaveLength(1);
      expect(heard[0]).toMatch(/^failure/);
      expect(heard[0]).not.toContain('canary');
      expect(fake().received).toHaveLength(3);
      stream.push(speech('mulaw-8000'));
      stream.finish();
      stream.close();
      expect(heard).toHaveLength(1);
    },
  );
});

it('ElevenLabs must say that it listens', async () => {
  elevenLabs.faults.listening = 'silent';
  const limits = { ...usualRecognitionLimits, readyMs: 100, reconnects: 0 };
  const { heard } = listening(makers.ElevenLabs(limits), { format: 'mulaw-8000' });
  await expect.poll(() => heard).toEqual(['failure ElevenLabs did not begin to listen within 0.1 s.']);
});

it('Deepgram may take words back', async () => {
  const { stream, heard } = listening(makers.Deepgram(), { format: 'mulaw-8000' });
  stream.push(speech('mulaw-8000'));
  await expect.poll(() => heard).toEqual(['partial hello']);
  const nothing = { type: 'Results', is_final: true, channel: { alternatives: [{ transcript: '' }] } };
  for (const socket of deepgram.sockets) socket.send(JSON.stringify(nothing));
  await expect.poll(() => heard).toEqual(['partial hello', 'partial ']);
  stream.close();
});

it('Deepgram must finish what it has begun', async () => {
  deepgram.faults.listening = 'no final';
  const limits = { ...usualRecognitionLimits, finishMs: 100, reconnects: 0 };
  const { stream, heard } = listening(makers.Deepgram(limits), { format: 'mulaw-8000' });
  stream.push(speech('mulaw-8000'));
  await expect.poll(() => heard).toEqual(['partial hello']);
  stream.finish();
  await expect.poll(() => heard.at(-1)).toBe('failure Deepgram did not finish in time.');
});

it('Deepgram is asked for what a call needs, and told when it is over', async () => {
  const { stream } = listening(makers.Deepgram(), { format: 'pcm16-16000' });
  await expect.poll(() => deepgram.connections).toHaveLength(1);
  expect(Object.fromEntries(deepgram.received[0]?.url.searchParams ?? [])).toMatchObject({
    model: 'nova-3',
    language: 'multi',
    encoding: 'linear16',
    sample_rate: '16000',
    interim_results: 'true',
    endpointing: '300',
    vad_events: 'true',
    utterance_end_ms: '1000',
  });
  stream.push(silence('pcm16-16000', 100));
  await expect.poll(() => deepgram.connections[0]?.bytes).toBe(3_200);
  stream.close();
  await expect.poll(() => deepgram.connections[0]?.messages).toEqual(['CloseStream']);
});
