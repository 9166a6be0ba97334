import { randomUUID } from 'node:crypto';
import type { LaneSocket, LaneSocketEnd, LaneSocketEvents } from '../../../egress/trusted-web-socket.ts';
import type { AudioFormat } from '../../audio/format.ts';
import { audioOfSentence, type SentenceAudio, type SpeakingLimits } from '../shared/audio-of-sentence.ts';
import { readJson, textOf } from '../shared/read-json.ts';
import { isPassing, type ProviderName, refusalOf } from '../shared/refusal.ts';
import { type Speaker, SpeechFailed } from '../speech.ts';

interface Sentence {
  contextId: string;
  text: string;
  audio: SentenceAudio;
  hasRetried: boolean;
  /** Until then it is requested again if it exceeds the provider's concurrency. */
  busyUntil: number;
  retry?: NodeJS.Timeout;
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
  /** Why we have cut the connection. */
  let problem: string | undefined;

  const tell = (message: object) => socket?.send(JSON.stringify(message));
  const ask = ({ contextId, text }: Sentence) =>
    tell({ ...request, transcript: text, context_id: contextId, continue: false });

  function connected(): void {
    isOpen = true;
    for (const sentence of sentences.values()) ask(sentence);
  }

  function refused(sentence: Sentence, status: number): void {
    // Other sentences are being spoken: those of this call, and of others.
    const isBusy = status === 429 && performance.now() < sentence.busyUntil;
    const mayRetry = isBusy || (!sentence.hasRetried && status !== 0 && isPassing(status));
    if (sentence.audio.hasBegun || !mayRetry) return sentence.finish(refusalOf(name, status));
    if (!isBusy) sentence.hasRetried = true;
    clearTimeout(sentence.retry);
    sentence.retry = setTimeout(() => {
      if (sentence.audio.hasBegun) return;
      sentences.delete(sentence.contextId);
      sentence.contextId = randomUUID();
      sentences.set(sentence.contextId, sentence);
      if (isOpen) ask(sentence);
    }, limits.retryMs);
  }

  /** A sentence that has not begun is requested again once, where that can help. */
  function disconnected(end: LaneSocketEnd): void {
    socket = undefined;
    isOpen = false;
    const failure =
      end.status === undefined
        ? new SpeechFailed(`${name.label} ${problem ?? end.reason}.`)
        : refusalOf(name, end.status);
    problem = undefined;
    for (const sentence of sentences.values()) {
      if (sentence.audio.hasBegun || sentence.hasRetried || !isPassing(end.status)) sentence.finish(failure);
      else sentence.hasRetried = true;
    }
    if (sentences.size > 0) open();
  }

  function received(message: Buffer): void {
    const event = readJson(message.toString());
    if (!event) {
      problem = 'sent a message that cannot be read';
      return socket?.destroy();
    }
    const contextId = textOf(event['context_id']);
    const sentence = contextId === undefined ? undefined : sentences.get(contextId);
    if (event['type'] === 'error') {
      const status = Number(event['status_code']) || 0;
      // A message without a context concerns all sentences.
      const concerned = contextId === undefined ? [...sentences.values()] : [sentence];
      for (const each of concerned) if (each) refused(each, status);
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
        const giveUp = (reason: unknown) => {
          tell({ context_id: sentence.contextId, cancel: true });
          sentence.finish(reason);
        };
        const cancel = () => giveUp(signal.reason);
        const sentence: Sentence = {
          contextId: randomUUID(),
          text,
          hasRetried: false,
          busyUntil: performance.now() + limits.busyMs,
          audio: audioOfSentence({
            label: name.label,
            text,
            format,
            limits,
            onAudio,
            fail: giveUp,
          }),
          finish(error) {
            sentences.delete(sentence.contextId);
            clearTimeout(sentence.retry);
            sentence.audio.stop();
            signal.removeEventListener('abort', cancel);
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        signal.addEventListener('abort', cancel, { once: true });
        sentences.set(sentence.contextId, sentence);
        if (!socket) open();
        else if (isOpen) ask(sentence);
      }),
    close() {
      isClosed = true;
      for (const sentence of sentences.values()) sentence.finish(new SpeechFailed('The call is over.'));
      socket?.close();
      socket = undefined;
    },
  };
}
