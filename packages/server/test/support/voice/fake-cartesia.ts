import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { AudioFormat } from '../../../src/voice/audio/format.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { inPieces, speechOf } from './fake-speech.ts';

export interface FakeCartesiaOptions {
  apiKey?: string;
  firstAudioMs?: number;
  msPerCharacter?: number;
  voices?: { id: string; name: string; language: string; gender: string }[];
  /** The official SDK connects with TLS only. */
  isSecure?: boolean;
}

export interface CartesiaFaults {
  status?: number;
  /** How many sentences are answered by closing the socket. */
  cutOff?: number;
  speaking?: 'silent' | 'endless' | 'garbage' | 'error' | 'late';
}

export interface FakeCartesia extends FakeProvider {
  faults: CartesiaFaults;
  spoken: string[];
  cancelled: string[];
}

interface SpeakingRequest {
  context_id: string;
  cancel?: boolean;
  transcript: string;
  output_format: { encoding: string };
}

/** Speaks and lists voices as Cartesia does. */
export async function startFakeCartesia(options: FakeCartesiaOptions = {}): Promise<FakeCartesia> {
  const { apiKey = 'key', firstAudioMs = 0, msPerCharacter = 10, voices = [], isSecure = false } = options;
  const faults: CartesiaFaults = {};
  const spoken: string[] = [];
  const cancelled: string[] = [];

  function listVoices(url: URL, response: ServerResponse): void {
    const after = url.searchParams.get('starting_after');
    const from = after === null ? 0 : voices.findIndex(({ id }) => id === after) + 1;
    const size = Number(url.searchParams.get('limit') ?? 10);
    const data = voices
      .slice(from, from + size)
      .map((voice) => ({ ...voice, access: 'public', tagline: '' }));
    const body = { data, has_more: from + size < voices.length };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  function speak(socket: WebSocket): void {
    const stopped = new Set<string>();
    const send = (message: object) =>
      socket.send(JSON.stringify({ status_code: 200, done: false, ...message }));
    socket.on('message', (data: Buffer) => void answer(JSON.parse(data.toString())));
    async function answer(request: SpeakingRequest): Promise<void> {
      const contextId = request.context_id;
      if (request.cancel) {
        cancelled.push(contextId);
        stopped.add(contextId);
        return;
      }
      const text = request.transcript;
      spoken.push(text);
      if (faults.cutOff) {
        faults.cutOff -= 1;
        return socket.terminate();
      }
      if (faults.speaking === 'silent') return;
      if (faults.speaking === 'garbage') return socket.send('not JSON');
      if (faults.speaking === 'error') {
        return send({
          type: 'error',
          context_id: contextId,
          status_code: 400,
          title: 'Bad',
          message: 'Bad key',
        });
      }
      const format: AudioFormat =
        request.output_format.encoding === 'pcm_mulaw' ? 'mulaw-8000' : 'pcm16-16000';
      await sleep(firstAudioMs);
      const pieces = inPieces(speechOf(text, format, msPerCharacter), format);
      do {
        for (const piece of pieces) {
          if (stopped.has(contextId) || socket.readyState !== socket.OPEN) return;
          const chunk = { type: 'chunk', context_id: contextId, step_time: 1 };
          send({ ...chunk, data: piece.toString('base64') });
          // Others are spoken in between.
          await sleep(0);
        }
      } while (faults.speaking === 'endless');
      send({ type: 'done', context_id: contextId, done: true });
      if (faults.speaking === 'late') {
        send({ type: 'chunk', context_id: contextId, step_time: 1, data: 'AAAA' });
      }
    }
  }

  const provider = await startFakeProvider({
    isSecure,
    statusOf: ({ headers }) => faults.status ?? (headers.authorization === `Bearer ${apiKey}` ? 200 : 401),
    onRequest(url, _body, response) {
      if (url.pathname === '/voices') listVoices(url, response);
      else response.writeHead(404).end();
    },
    onSocket(url, socket) {
      if (url.pathname === '/tts/websocket') speak(socket);
      else socket.close();
    },
  });
  return { ...provider, faults, spoken, cancelled };
}
