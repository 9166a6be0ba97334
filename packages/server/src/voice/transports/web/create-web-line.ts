import { createAudioQueue } from '@svc/sip/media/audio-queue';
import { bytesPerMs, frameBytes } from '../../audio/format.ts';
import { type Line, type LineEnd, type LineEvents, TransferFailed } from '../call-transport.ts';
import { createPlayedPosition, readFrame } from './played-position.ts';

/** The WebSocket of a page. */
export interface PagePeer {
  send(data: string | Buffer): void;
  close(code: number, reason: string): void;
}

export interface PageHandlers {
  onFrame(data: Buffer, isBinary: boolean): void;
  onClose(): void;
}

const format = 'pcm16-16000';
const bytesPerSample = 2;
const samplesPerMs = bytesPerMs(format) / bytesPerSample;
/** How far ahead of what is heard audio is sent: enough for a network that stalls, little to discard. */
const maxAheadSamples = 1_000 * samplesPerMs;
const sentBytes = 100 * bytesPerMs(format);
/** Browsers send 50 frames a second, with or without speech. */
const silentMilliseconds = 10_000;
const maxKeptFrames = 250;
/** The browser shows the last lines of a call; a longer text is not read anyway. */
const maxTextLength = 4_000;
const [normalClosure, policyViolation] = [1000, 1008];

/** A line to the microphone and the loudspeaker of a page, over its WebSocket. */
export function createWebLine(peer: PagePeer): { line: Line; handlers: PageHandlers } {
  const position = createPlayedPosition();
  const size = frameBytes(format);
  let events: LineEvents | undefined;
  let kept: Buffer[] = [];
  /** What was heard of a frame that is not complete. */
  const heard = createAudioQueue();
  let queue: Buffer[] = [];
  let queuedBytes = 0;
  let end: LineEnd | undefined;
  let isOver = false;
  let silence = watchSilence();

  const tell = (message: object) => peer.send(JSON.stringify(message));

  function watchSilence(): NodeJS.Timeout {
    return setTimeout(
      () => close({ cause: 'remote_hangup', detail: 'The browser sent no sound for 10 seconds.' }),
      silentMilliseconds,
    ).unref();
  }

  /** Sends what the browser has room for. */
  function pump(): void {
    while (queue.length > 0 && position.ahead < maxAheadSamples) {
      const [first = Buffer.alloc(0)] = queue;
      const part = first.subarray(0, sentBytes);
      if (part.length < first.length) queue[0] = first.subarray(part.length);
      else queue.shift();
      queuedBytes -= part.length;
      position.noteSent(part.length / bytesPerSample);
      peer.send(part);
    }
  }

  function hear(audio: Buffer): void {
    heard.push(audio);
    while (heard.length >= size) {
      const frame = heard.take(size);
      if (events) events.onAudio(frame);
      else if (kept.length < maxKeptFrames) kept.push(frame);
    }
  }

  function obey(text: string): void {
    if (text === 'hang_up') close({ cause: 'remote_hangup' });
    else refuse();
  }

  function refuse(): void {
    close(
      { cause: 'failed', detail: 'The browser sent something that is not part of a call.' },
      policyViolation,
    );
  }

  /** The end is reported when the connection is closed. */
  function close(how: LineEnd, code = normalClosure): void {
    end ??= how;
    peer.close(code, how.cause);
  }

  const line: Line = {
    format,
    listen(given) {
      events = given;
      for (const frame of kept) given.onAudio(frame);
      kept = [];
      if (isOver && end) given.onEnd(end);
    },
    send(audio) {
      if (isOver || audio.length === 0) return;
      queue.push(audio);
      queuedBytes += audio.length;
      pump();
    },
    clear() {
      if (isOver) return;
      const isPlaying = position.ahead > 0;
      queue = [];
      queuedBytes = 0;
      if (isPlaying) tell({ type: 'clear', clears: position.noteCleared() });
    },
    get playedMs() {
      return position.heard / samplesPerMs;
    },
    get queuedMs() {
      return (position.heard + position.ahead + queuedBytes / bytesPerSample) / samplesPerMs;
    },
    transfer: () =>
      Promise.reject(new TransferFailed('A call from a browser cannot be passed on to a telephone.')),
    hangUp: () => close({ cause: 'local_hangup' }),
    show(notice) {
      tell('text' in notice ? { ...notice, text: notice.text.slice(0, maxTextLength) } : notice);
    },
  };

  return {
    line,
    handlers: {
      onFrame(data, isBinary) {
        if (end) return;
        if (!isBinary) return obey(data.toString());
        const frame = readFrame(data);
        if (!frame) return refuse();
        clearTimeout(silence);
        silence = watchSilence();
        position.noteReport(frame.report);
        pump();
        hear(frame.audio);
      },
      onClose() {
        clearTimeout(silence);
        isOver = true;
        end ??= { cause: 'remote_hangup', detail: 'The connection to the browser was lost.' };
        queue = [];
        events?.onEnd(end);
      },
    },
  };
}
