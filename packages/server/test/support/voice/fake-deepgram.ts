import type { WebSocket } from 'ws';
import type { AudioFormat } from '../../../src/voice/audio/format.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { createFakeRecogniser, type Script, scriptOf } from './fake-recogniser.ts';

export interface FakeDeepgramOptions {
  apiKey?: string;
  texts?: string[];
  /** What is understood, instead of `texts`. */
  script?: Script;
  /** From the end of the speech, or the request to finish, to the final text. */
  finalDelayMs?: number;
  /** How much silence ends a stretch of speech. */
  silenceMs?: number;
  /** Whether a final text after silence says that the turn is over. */
  tellsTurns?: boolean;
  /** Whether it says anything before the final text: then its first word comes with the first sound. */
  isEarly?: boolean;
}

export interface DeepgramFaults {
  status?: number;
  listening?: 'garbage' | 'no final' | 'closes';
}

export interface FakeDeepgram extends FakeProvider {
  faults: DeepgramFaults;
  /** The bytes of audio and the types of messages of each connection. */
  connections: { bytes: number; messages: string[] }[];
  /** Sends a final text on the newest connection, whatever was heard there. */
  correct(text: string): void;
}

/** Listens as Deepgram does. */
export async function startFakeDeepgram(options: FakeDeepgramOptions = {}): Promise<FakeDeepgram> {
  const { apiKey = 'key', texts = ['hello there'], finalDelayMs = 0 } = options;
  const { silenceMs, tellsTurns = true, isEarly = true } = options;
  const { script = scriptOf(texts) } = options;
  const faults: DeepgramFaults = {};
  const connections: FakeDeepgram['connections'] = [];

  let correct: FakeDeepgram['correct'] = () => undefined;

  function listen(url: URL, socket: WebSocket): void {
    const heard = { bytes: 0, messages: [] as string[] };
    connections.push(heard);
    if (faults.listening === 'garbage') return socket.send('not JSON');
    if (faults.listening === 'closes') return socket.close(1_011);
    const format: AudioFormat = url.searchParams.get('encoding') === 'mulaw' ? 'mulaw-8000' : 'pcm16-16000';
    const send = (message: object) => socket.send(JSON.stringify(message));
    const results = (text: string, flags: object) =>
      send({
        type: 'Results',
        channel_index: [0, 1],
        duration: 1,
        start: 0,
        channel: { alternatives: [{ transcript: text, confidence: 0.99, words: [] }] },
        metadata: {
          request_id: 'request',
          model_uuid: 'model',
          model_info: { name: 'nova-3', version: '1', arch: 'nova-3' },
        },
        ...flags,
      });
    correct = (text) => results(text, { is_final: true, speech_final: true, from_finalize: false });
    const recogniser = createFakeRecogniser(
      { format, script, ...(silenceMs !== undefined && { silenceMs }) },
      {
        onSpeech() {
          if (isEarly) send({ type: 'SpeechStarted', channel: [0], timestamp: 0 });
        },
        onPartial(text) {
          if (isEarly) results(text, { is_final: false, speech_final: false });
        },
        onFinal(text, isOver) {
          if (faults.listening === 'no final') return;
          const flags = { is_final: true, speech_final: isOver && tellsTurns, from_finalize: !isOver };
          setTimeout(() => results(text, flags), finalDelayMs);
        },
      },
    );
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        heard.bytes += data.length;
        return recogniser.push(data);
      }
      const { type } = JSON.parse(String(data));
      heard.messages.push(type);
      if (type === 'Finalize') recogniser.finish();
      if (type === 'CloseStream') socket.close(1_000);
    });
  }

  const provider = await startFakeProvider({
    statusOf: ({ headers }) => faults.status ?? (headers.authorization === `Token ${apiKey}` ? 200 : 401),
    onRequest: (_url, _body, response) => void response.writeHead(404).end(),
    onSocket(url, socket) {
      if (url.pathname === '/v1/listen') listen(url, socket);
      else socket.close();
    },
  });
  return { ...provider, faults, connections, correct: (text) => correct(text) };
}
