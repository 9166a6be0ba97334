import { createRequire } from 'node:module';
import type { Cartesia as CartesiaClient } from '@cartesia/cartesia-js';
import { DeepgramClient } from '@deepgram/sdk';
import { AudioFormat, CommitStrategy, ElevenLabsClient, RealtimeEvents } from '@elevenlabs/elevenlabs-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silence } from '../../../src/voice/audio/format.ts';
import { type FakeCartesia, startFakeCartesia } from '../../support/voice/fake-cartesia.ts';
import { type FakeDeepgram, startFakeDeepgram } from '../../support/voice/fake-deepgram.ts';
import { type FakeElevenLabs, startFakeElevenLabs } from '../../support/voice/fake-elevenlabs.ts';
import { speechOf } from '../../support/voice/fake-speech.ts';
import { voicesNamed } from './support.ts';

// As an ES module it does not find the `ws` library and connects as browsers do, with the key in the address.
const { Cartesia }: { Cartesia: typeof CartesiaClient } = createRequire(import.meta.url)(
  '@cartesia/cartesia-js',
);

interface HeardMessage {
  type: string;
  is_final?: boolean;
  speech_final?: boolean;
  from_finalize?: boolean;
  channel?: { alternatives: { transcript: string }[] };
}

/** A fake counts only if the provider's own client accepts it for everything that our adapters use. */
let elevenLabs: FakeElevenLabs;
let cartesia: FakeCartesia;
let secureCartesia: FakeCartesia;
let deepgram: FakeDeepgram;

const voices = voicesNamed(25);
const utterance = Buffer.concat([speechOf('a question', 'mulaw-8000', 20), silence('mulaw-8000', 500)]);

beforeAll(async () => {
  elevenLabs = await startFakeElevenLabs({ voices });
  cartesia = await startFakeCartesia({ voices });
  secureCartesia = await startFakeCartesia({ isSecure: true });
  deepgram = await startFakeDeepgram();
});
afterAll(async () => {
  for (const fake of [elevenLabs, cartesia, secureCartesia, deepgram]) await fake.close();
});

it('ElevenLabs: voices, speaking and listening', async () => {
  const client = new ElevenLabsClient({ apiKey: 'key', baseUrl: elevenLabs.url, maxRetries: 0 });
  const first = await client.voices.search({ pageSize: 20 });
  expect(first.hasMore).toBe(true);
  const second = await client.voices.search({ pageSize: 20, nextPageToken: first.nextPageToken ?? '' });
  expect([...first.voices, ...second.voices].map(({ voiceId }) => voiceId)).toEqual(
    voices.map(({ id }) => id),
  );
  expect(second.voices[0]).toMatchObject({ labels: { language: 'en', gender: 'female' } });

  const stream = await client.textToSpeech.stream('rachel', {
    text: 'Good morning.',
    modelId: 'eleven_flash_v2_5',
    outputFormat: 'ulaw_8000',
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(speechOf('Good morning.', 'mulaw-8000', 10))).toBe(true);

  const connection = await client.speechToText.realtime.connect({
    modelId: 'scribe_v2_realtime',
    audioFormat: AudioFormat.ULAW_8000,
    sampleRate: 8_000,
    commitStrategy: CommitStrategy.VAD,
  });
  const partial = Promise.withResolvers<string>();
  const committed = Promise.withResolvers<string>();
  connection.on(RealtimeEvents.SESSION_STARTED, () =>
    connection.send({ audioBase64: utterance.toString('base64') }),
  );
  connection.on(RealtimeEvents.PARTIAL_TRANSCRIPT, ({ text }: { text: string }) => partial.resolve(text));
  connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT, ({ text }: { text: string }) => committed.resolve(text));
  expect([await partial.promise, await committed.promise]).toEqual(['hello', 'hello there']);
  connection.close();

  const wrong = new ElevenLabsClient({ apiKey: 'wrong', baseUrl: elevenLabs.url, maxRetries: 0 });
  await expect(wrong.voices.search()).rejects.toMatchObject({ statusCode: 401 });
});

it('Cartesia: voices and speaking', async () => {
  const client = new Cartesia({ apiKey: 'key', baseURL: cartesia.url, maxRetries: 0 });
  const found: string[] = [];
  for await (const voice of client.voices.list({ limit: 20 })) found.push(voice.id);
  expect(found).toEqual(voices.map(({ id }) => id));

  const secure = new Cartesia({ apiKey: 'key', baseURL: secureCartesia.url, maxRetries: 0 });
  const socket = await secure.tts.websocket({ rejectUnauthorized: false });
  const context = socket.context({
    model_id: 'sonic-3.5',
    voice: { mode: 'id', id: 'katie' },
    output_format: { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 8_000 },
  });
  const chunks: Uint8Array[] = [];
  for await (const event of context.generate({ transcript: 'Good morning.' })) {
    if (event.type === 'chunk' && event.audio) chunks.push(event.audio);
  }
  expect(Buffer.concat(chunks).equals(speechOf('Good morning.', 'mulaw-8000', 10))).toBe(true);
  await socket.cancelContext('another');
  await expect.poll(() => secureCartesia.cancelled).toEqual(['another']);
  socket.close();
});

it('Deepgram: listening', async () => {
  const client = new DeepgramClient({ apiKey: 'key', baseUrl: deepgram.url.replace('http', 'ws') });
  const socket = await client.listen.v1.connect({
    Authorization: 'Token key',
    model: 'nova-3',
    language: 'multi',
    encoding: 'mulaw',
    sample_rate: 8_000,
    interim_results: 'true',
    endpointing: 300,
    vad_events: 'true',
    utterance_end_ms: 1_000,
    reconnectAttempts: 0,
  });
  const heard: HeardMessage[] = [];
  socket.on('message', (message) => heard.push(message as HeardMessage));
  socket.connect();
  await socket.waitForOpen();
  socket.sendKeepAlive({ type: 'KeepAlive' });
  socket.sendMedia(utterance);
  await expect.poll(() => heard.length).toBe(3);
  socket.sendMedia(speechOf('more', 'mulaw-8000', 20));
  socket.sendFinalize({ type: 'Finalize' });
  await expect.poll(() => heard.length).toBe(6);
  expect(
    heard.map(({ type, is_final, speech_final, from_finalize }) => [
      type,
      is_final,
      speech_final,
      from_finalize,
    ]),
  ).toEqual([
    ['SpeechStarted', undefined, undefined, undefined],
    ['Results', false, false, undefined],
    ['Results', true, true, false],
    ['SpeechStarted', undefined, undefined, undefined],
    ['Results', false, false, undefined],
    ['Results', true, false, true],
  ]);
  expect(heard[2]?.channel?.alternatives[0]?.transcript).toBe('hello there');
  socket.sendCloseStream({ type: 'CloseStream' });
  await expect.poll(() => deepgram.sockets.size).toBe(0);
  socket.close();
});
