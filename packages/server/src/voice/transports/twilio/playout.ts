import { createAudioQueue } from '@svc/sip/media/audio-queue';
import { bytesPerMs, frameBytes } from '../../audio/format.ts';

export interface PlayoutOptions {
  /** A clock that only moves forward, in milliseconds. */
  now(): number;
  sendAudio(frame: Buffer): void;
  /** The other side returns it when everything before it was played. */
  sendMark(name: string): void;
  sendClear(): void;
}

interface Mark {
  name: string;
  /** How much audio is before it. */
  bytes: number;
  /** When it should have been played. */
  dueAt: number;
}

const format = 'mulaw-8000';
/** How far the other side's buffer is filled: enough for a pause of this process, little to discard. */
const aheadMs = 1_000;
/** However the clocks run, at most this much is in flight without a returned mark. */
const maxUnconfirmedMs = 2_000;
/** How often there is a mark, which makes `playedMs` exact again. */
const markEveryMs = 200;
/** How late a mark may come back before we take it as played. */
const markGraceMs = 2_000;

/**
 * Paces our audio to a network that buffers what it gets and plays it in real time. `tick` must be called every 100 ms or so
 * while `isBusy`. All counts are bytes since the beginning; what was cleared is not counted.
 */
export function createPlayout({ now, sendAudio, sendMark, sendClear }: PlayoutOptions) {
  const perMs = bytesPerMs(format);
  const size = frameBytes(format);
  const queue = createAudioQueue();
  let sent = 0;
  let played = 0;
  /** Up to the last mark that came back. */
  let confirmed = 0;
  let markedUpTo = 0;
  let marksMade = 0;
  let marks: Mark[] = [];
  /** When the other side will have played all that it has. */
  let bufferedUntil = 0;

  function fill(): void {
    const time = now();
    while (
      queue.length > 0 &&
      bufferedUntil - time < aheadMs &&
      sent - confirmed < maxUnconfirmedMs * perMs
    ) {
      const frame = queue.take(size);
      sendAudio(frame);
      sent += frame.length;
      bufferedUntil = Math.max(bufferedUntil, time) + frame.length / perMs;
      if (sent - markedUpTo >= markEveryMs * perMs) mark();
    }
    if (queue.length === 0 && sent > markedUpTo) mark();
  }

  function mark(): void {
    marksMade += 1;
    markedUpTo = sent;
    const name = `m${marksMade}`;
    marks.push({ name, bytes: sent, dueAt: bufferedUntil });
    sendMark(name);
  }

  /** Between marks it is known from the clock, but never more than the next mark confirms. */
  function playedBytes(): number {
    const buffered = Math.max(0, bufferedUntil - now()) * perMs;
    const most = Math.min(sent - buffered, marks[0]?.bytes ?? sent);
    played = Math.max(played, Math.floor(most));
    return played;
  }

  function pass(count: number): void {
    const last = marks[count - 1];
    if (!last) return;
    marks = marks.slice(count);
    played = Math.max(played, last.bytes);
    confirmed = last.bytes;
  }

  function discard(): void {
    const heard = playedBytes();
    queue.clear();
    marks = [];
    sent = heard;
    confirmed = heard;
    markedUpTo = heard;
    bufferedUntil = 0;
  }

  return {
    send(audio: Buffer): void {
      if (audio.length === 0) return;
      queue.push(audio);
      fill();
    },

    tick(): void {
      fill();
      const time = now();
      const overdue = marks.findLastIndex(({ dueAt }) => dueAt + markGraceMs < time);
      pass(overdue + 1);
    },

    /** The other side has played everything before the mark. Marks from before a clear are ignored. */
    onMark(name: string): void {
      const index = marks.findIndex((one) => one.name === name);
      const found = marks[index];
      if (!found) return;
      // It may play later than expected; then it also needs the next audio later.
      bufferedUntil = Math.max(bufferedUntil, now() + (sent - found.bytes) / perMs);
      pass(index + 1);
      fill();
    },

    clear(): void {
      if (queue.length === 0 && playedBytes() === sent && marks.length === 0) return;
      discard();
      sendClear();
    },

    /** The line has ended. */
    end: discard,

    get isBusy(): boolean {
      return queue.length > 0 || marks.length > 0;
    },
    get playedMs(): number {
      return playedBytes() / perMs;
    },
    get queuedMs(): number {
      return (sent + queue.length) / perMs;
    },
  };
}
