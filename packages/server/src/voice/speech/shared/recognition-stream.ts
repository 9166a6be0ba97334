import type { LaneSocket, LaneSocketEnd, LaneSocketEvents } from '../../../egress/trusted-web-socket.ts';
import { type AudioFormat, bytesPerMs } from '../../audio/format.ts';
import { SpeechFailed, type TranscriptEvents, type TranscriptStream } from '../speech.ts';
import { type JsonObject, readJson } from './read-json.ts';
import { isPassing, type ProviderName, refusalOf } from './refusal.ts';

/** What a message of a recogniser means. */
export type Heard =
  | { kind: 'ready' }
  | { kind: 'partial'; text: string }
  | { kind: 'final'; text: string }
  | { kind: 'end_of_speech' }
  /** It reports an error; another attempt may help or not. */
  | { kind: 'error'; failure: SpeechFailed; isPassing: boolean };

/** How a provider's recogniser is spoken to. */
export interface RecognitionProtocol {
  name: ProviderName;
  connect(events: LaneSocketEvents): LaneSocket;
  /** Whether audio may be sent as soon as the socket is open, or after a `ready` only. */
  isReadyWhenOpen: boolean;
  audio(audio: Buffer): string | Buffer;
  /** Requests the final text; left out where the provider detects pauses itself and rejects such requests. */
  finish?: string;
  /** The last message of a stream. */
  goodbye?: string;
  /** Providers close a connection without audio after 10 seconds. */
  keepAlive: string;
  read(message: JsonObject): Heard[];
}

export const usualRecognitionLimits = {
  readyMs: 5_000,
  /** From `finish`, or from new words since, to the final text, where it can be asked for and there is a partial one. */
  finishMs: 5_000,
  /** How many times it connects again within `windowMs`. */
  reconnects: 2,
  windowMs: 30_000,
  /** Before it connects again a second time. */
  retryMs: 1_000,
  /** How long there may be no audio. */
  keepAliveMs: 4_000,
};

export type RecognitionLimits = typeof usualRecognitionLimits;

/** Audio that was sent and has no final text yet is sent again on a new connection: all of a sentence, but little of a silence. */
const replayMs = { sentence: 15_000, silence: 5_000 };
/** Audio that waits for a connection. */
const waitingMs = 20_000;

/** A stream of audio to a recogniser that survives a connection that breaks. */
export function openRecognitionStream(
  protocol: RecognitionProtocol,
  { format, limits }: { format: AudioFormat; limits: RecognitionLimits },
  events: TranscriptEvents,
): TranscriptStream {
  const { label } = protocol.name;
  const sent = createBoundedAudio();
  const waiting = createBoundedAudio();
  const maxWaitingBytes = waitingMs * bytesPerMs(format);
  const reconnects: number[] = [];
  let socket: LaneSocket | undefined;
  let isReady = false;
  let isOver = false;
  let hasUnfinishedAudio = false;
  let mustFinish = false;
  let isFinishing = false;
  let partial = '';
  /** Whether words were reported since the last final text, on any connection. */
  let hasWords = false;
  let readyTimer: NodeJS.Timeout | undefined;
  let finishTimer: NodeJS.Timeout | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  let quietSince = performance.now();

  function connect(): void {
    readyTimer = setTimeout(
      () => broken(`did not begin to listen within ${limits.readyMs / 1_000} s`),
      limits.readyMs,
    );
    socket = protocol.connect({
      onOpen: () => protocol.isReadyWhenOpen && ready(),
      onMessage: received,
      onClose: closed,
    });
  }
  function ready(): void {
    if (isReady) return;
    clearTimeout(readyTimer);
    isReady = true;
    for (const audio of waiting.drain()) transmit(audio);
    if (mustFinish) askToFinish();
  }
  function transmit(audio: Buffer): void {
    quietSince = performance.now();
    sent.push(audio, (hasWords ? replayMs.sentence : replayMs.silence) * bytesPerMs(format));
    socket?.send(protocol.audio(audio));
  }
  function askToFinish(): void {
    mustFinish = false;
    isFinishing = true;
    stopAwaiting();
    // A provider that cannot be asked may not see the pause as an end, and is right if the caller continues.
    if (protocol.finish === undefined) return;
    socket?.send(protocol.finish);
    // Without any words there may be no answer.
    if (partial) awaitFinal();
  }
  function awaitFinal(): void {
    clearTimeout(finishTimer);
    finishTimer = setTimeout(() => broken('did not finish in time'), limits.finishMs);
  }
  function stopAwaiting(): void {
    clearTimeout(finishTimer);
    finishTimer = undefined;
  }
  function received(message: Buffer): void {
    const json = readJson(message.toString());
    if (!json) return broken('sent a message that cannot be read');
    for (const heard of protocol.read(json)) if (!isOver) tell(heard);
  }
  function tell(heard: Heard): void {
    if (heard.kind === 'ready') ready();
    else if (heard.kind === 'end_of_speech') events.onEndOfSpeech();
    else if (heard.kind === 'error') lost(heard.failure, heard.isPassing);
    else if (heard.kind === 'partial') {
      if (heard.text === partial) return;
      partial = heard.text;
      hasWords = true;
      if (finishTimer) awaitFinal();
      events.onPartial(heard.text);
    } else {
      stopAwaiting();
      isFinishing = false;
      const isTakenBack = hasWords && heard.text.trim() === '';
      partial = '';
      hasWords = false;
      sent.drain();
      if (isTakenBack) events.onPartial('');
      else if (heard.text.trim()) events.onFinal(heard.text);
    }
  }
  const broken = (problem: string) => lost(new SpeechFailed(`${label} ${problem}.`), true);
  const closed = (end: LaneSocketEnd) => {
    if (end.status === undefined) broken(end.reason);
    else lost(refusalOf(protocol.name, end.status), isPassing(end.status));
  };

  function lost(failure: SpeechFailed, mayRetry: boolean): void {
    if (isOver) return;
    disconnect();
    const now = performance.now();
    while (reconnects[0] !== undefined && reconnects[0] < now - limits.windowMs) reconnects.shift();
    if (!mayRetry || reconnects.length >= limits.reconnects) {
      stop();
      return events.onFailure(failure);
    }
    reconnects.push(now);
    if (isFinishing) mustFinish = true;
    const later = waiting.drain();
    for (const audio of [...sent.drain(), ...later]) waiting.push(audio, maxWaitingBytes);
    partial = '';
    // A provider that restarts is away for a moment.
    if (reconnects.length > 1) retryTimer = setTimeout(connect, limits.retryMs);
    else connect();
  }
  function disconnect(lastMessage?: string): void {
    clearTimeout(readyTimer);
    clearTimeout(retryTimer);
    stopAwaiting();
    socket?.close(isReady ? lastMessage : undefined);
    socket = undefined;
    isReady = false;
  }
  function stop(): void {
    isOver = true;
    clearInterval(keepAlive);
  }

  const keepAlive = setInterval(() => {
    if (isReady && performance.now() - quietSince >= limits.keepAliveMs) socket?.send(protocol.keepAlive);
  }, limits.keepAliveMs).unref();
  connect();

  return {
    push(audio) {
      if (isOver || audio.length === 0) return;
      hasUnfinishedAudio = true;
      if (isReady) transmit(audio);
      else waiting.push(audio, maxWaitingBytes);
    },
    finish() {
      if (isOver || !hasUnfinishedAudio) return;
      hasUnfinishedAudio = false;
      mustFinish = true;
      if (isReady) askToFinish();
    },
    get isLate() {
      return mustFinish;
    },
    close() {
      if (isOver) return;
      stop();
      disconnect(protocol.goodbye);
    },
  };
}

/** The newest audio up to a size. */
function createBoundedAudio() {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    push(audio: Buffer, maxBytes: number): void {
      chunks.push(audio);
      size += audio.length;
      while (size > maxBytes) size -= chunks.shift()?.length ?? size;
    },
    /** Everything, oldest first; it is empty afterwards. */
    drain(): Buffer[] {
      const all = chunks;
      chunks = [];
      size = 0;
      return all;
    },
  };
}
