import { randomUUID } from 'node:crypto';
import type { LaneSocket, LaneSocketEnd, LaneSocketEvents } from '../../../egress/trusted-web-socket.ts';
import type { AudioFormat } from '../../audio/format.ts';
import { audioOfSentence, type SentenceAudio, type SpeakingLimits } from '../shared/audio-of-sentence.ts';
import { readJson, textOf } from '../shared/read-json.ts';
import { isPassing, type ProviderName, refusalOf } from '../shared/refusal.ts';
import { type Speaker, SpeechFailed } from '../speech.ts';

interface Sentence {
  text: string;
  audio: SentenceAudio;
  hasRetried: boolean;
  finish(error?: unknown): void;
}

interface ContextsOptions {
  name: ProviderName;
  format: AudioFormat;
  limits: SpeakingLimits;
  connect: (events: LaneSocketEvents) => LaneSocket;
  /** The part of a request that all sentences share. */
  request: object;
}

/** Sentences that are spoken at the same time over one WebSocket, which is opened again when it has died. */
export function openCartesiaContexts({ name, format, limits, connect, request }: ContextsOptions): Speaker {
  const sentences = new Map<string, Sentence>();
  let socket: LaneSocket | undefined;
  let isOpen = false;
  let isClosed = false;

  const ask = (contextId: string, { text }: Sentence) =>
    socket?.send(JSON.stringify({ ...request, transcript: text, context_id: contextId, continue: false }));

  function connected(): void {
    isOpen = true;
    for (const [contextId, sentence] of sentences) ask(contextId, sentence);
  }

  /** A sentence that has not begun is asked for again once, where that can help. */
  function disconnected(end: LaneSocketEnd): void {
    socket = undefined;
    isOpen = false;
    const failure =
      end.status === undefined
        ? new SpeechFailed(`${name.label} ${end.reason}.`)
        : refusalOf(name, end.status);
    for (const sentence of sentences.values()) {
      if (sentence.audio.hasBegun || sentence.hasRetried || !isPassing(end.status)) sentence.finish(failure);
      else sentence.hasRetried = true;
    }
    if (sentences.size > 0) open();
  }

  function received(message: Buffer): void {
    const event = readJson(message.toString());
    if (!event) return socket?.destroy();
    const contextId = textOf(event['context_id']);
    const sentence = contextId === undefined ? undefined : sentences.get(contextId);
    if (event['type'] === 'error') {
      const failure = refusalOf(name, Number(event['status_code']) || 0);
      // Without a context it concerns all.
      const concerned = contextId === undefined ? [...sentences.values()] : [sentence];
      for (const each of concerned) each?.finish(failure);
    } else if (event['type'] === 'chunk') {
      sentence?.audio.push(Buffer.from(textOf(event['data']) ?? '', 'base64'));
    } else if (event['type'] === 'done' && sentence) {
      const isEmpty = !sentence.audio.hasBegun;
      sentence.finish(isEmpty ? new SpeechFailed(`${name.label} sent no audio.`) : undefined);
    }
  }

  function open(): void {
    socket = connect({ onOpen: connected, onMessage: received, onClose: disconnected });
  }
  open();

  return {
    say: (text, onAudio, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (isClosed) return reject(new SpeechFailed('The call is over.'));
        const contextId = randomUUID();
        const cancel = () => {
          socket?.send(JSON.stringify({ context_id: contextId, cancel: true }));
          sentence.finish(signal.reason);
        };
        const sentence: Sentence = {
          text,
          hasRetried: false,
          audio: audioOfSentence({
            label: name.label,
            text,
            format,
            limits,
            onAudio,
            fail(error) {
              socket?.send(JSON.stringify({ context_id: contextId, cancel: true }));
              sentence.finish(error);
            },
          }),
          finish(error) {
            sentences.delete(contextId);
            sentence.audio.stop();
            signal.removeEventListener('abort', cancel);
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        signal.addEventListener('abort', cancel, { once: true });
        sentences.set(contextId, sentence);
        if (!socket) open();
        else if (isOpen) ask(contextId, sentence);
      }),
    close() {
      isClosed = true;
      for (const sentence of sentences.values()) sentence.finish(new SpeechFailed('The call is over.'));
      socket?.close();
      socket = undefined;
    },
  };
}
