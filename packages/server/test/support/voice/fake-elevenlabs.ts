import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { AudioFormat } from '../../../src/voice/audio/format.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { createFakeRecogniser, scriptOf } from './fake-recogniser.ts';
import { inPieces, speechOf } from './fake-speech.ts';

export interface FakeElevenLabsOptions {
  apiKey?: string;
  firstAudioMs?: number;
  msPerCharacter?: number;
  finalDelayMs?: number;
  texts?: string[];
  voices?: { id: string; name: string; language: string; gender: string }[];
}

/** What goes wrong from now on. */
export interface ElevenLabsFaults {
  status?: number;
  /** How many requests are cut off before they get audio. */
  cutOff?: number;
  speaking?: 'silent' | 'endless' | 'empty' | 'stops';
  listening?: 'silent' | 'garbage';
}

export interface FakeElevenLabs extends FakeProvider {
  faults: ElevenLabsFaults;
  spoken: { text: string; previousText: string | undefined }[];
}

/** Speaks, listens and lists voices as ElevenLabs does. */
export async function startFakeElevenLabs(options: FakeElevenLabsOptions = {}): Promise<FakeElevenLabs> {
  const { apiKey = 'key', firstAudioMs = 0, msPerCharacter = 10, finalDelayMs = 0 } = options;
  const { texts = ['hello there'], voices = [] } = options;
  const script = scriptOf(texts);
  const faults: ElevenLabsFaults = {};
  const spoken: FakeElevenLabs['spoken'] = [];

  function listVoices(url: URL, response: ServerResponse): void {
    const from = Number(url.searchParams.get('next_page_token') ?? 0);
    const size = Number(url.searchParams.get('page_size') ?? 10);
    const hasMore = from + size < voices.length;
    const page = voices.slice(from, from + size).map(({ id, name, language, gender }) => ({
      voice_id: id,
      name,
      category: 'premade',
      labels: { language, gender },
    }));
    json(response, {
      voices: page,
      has_more: hasMore,
      total_count: voices.length,
      next_page_token: hasMore ? String(from + size) : null,
    });
  }

  async function speak(url: URL, body: string, response: ServerResponse): Promise<void> {
    const { text, previous_text: previousText } = JSON.parse(body);
    spoken.push({ text, previousText });
    if (faults.cutOff) {
      faults.cutOff -= 1;
      return void response.destroy();
    }
    if (faults.speaking === 'silent') return;
    const format: AudioFormat =
      url.searchParams.get('output_format') === 'ulaw_8000' ? 'mulaw-8000' : 'pcm16-16000';
    await sleep(firstAudioMs);
    response.writeHead(200, { 'content-type': 'audio/basic' });
    if (faults.speaking === 'empty') return void response.end();
    // Pieces that end in the middle of a sample, as those of a network do.
    for (const piece of inPieces(speechOf(text, format, msPerCharacter), format)) {
      response.write(piece.subarray(0, 3));
      response.write(piece.subarray(3));
    }
    if (faults.speaking === 'stops') return;
    while (faults.speaking === 'endless' && !response.destroyed) {
      response.write(Buffer.alloc(100_000));
      await sleep(1);
    }
    response.end();
  }

  function listen(url: URL, socket: WebSocket): void {
    if (faults.listening === 'silent') return;
    const format: AudioFormat =
      url.searchParams.get('audio_format') === 'ulaw_8000' ? 'mulaw-8000' : 'pcm16-16000';
    const send = (message: object) => socket.send(JSON.stringify(message));
    const recogniser = createFakeRecogniser(
      { format, script },
      {
        onSpeech: () => undefined,
        onPartial: (text) => send({ message_type: 'partial_transcript', text }),
        onFinal: (text) =>
          setTimeout(() => send({ message_type: 'committed_transcript', text }), finalDelayMs),
      },
    );
    send({ message_type: 'session_started', session_id: 'session', config: { sample_rate: 8_000 } });
    if (faults.listening === 'garbage') socket.send('not JSON');
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString());
      recogniser.push(Buffer.from(message.audio_base_64, 'base64'));
      if (!message.commit) return;
      if (recogniser.isHearing) recogniser.finish();
      else send({ message_type: 'commit_throttled', error: 'nothing to commit' });
    });
  }

  const provider = await startFakeProvider({
    statusOf: ({ headers }) => faults.status ?? (headers['xi-api-key'] === apiKey ? 200 : 401),
    onRequest(url, body, response) {
      if (url.pathname === '/v2/voices') listVoices(url, response);
      else if (url.pathname.endsWith('/stream')) void speak(url, body, response);
      else response.writeHead(404).end();
    },
    onSocket(url, socket) {
      if (url.pathname === '/v1/speech-to-text/realtime') listen(url, socket);
      else socket.close();
    },
  });
  return { ...provider, faults, spoken };
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
