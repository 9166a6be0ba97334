import { setTimeout } from 'node:timers/promises';
import {
  type AudioFormat,
  durationMs,
  encodeAudio,
  frameBytes,
  frameMs,
  sampleRateOf,
  silence,
} from '../audio-format.ts';
import { dial } from './dial.ts';
import type { SipCall } from './sip-call.ts';
import type { UserAgent } from './user-agent.ts';

/**
 * Transfers the other side of a call to a number. An announcement, in the format of the call, is played to the person who answers there before the two
 * are connected. If that fails, the call continues, unless it has ended.
 */
export type Transfer = (to: string, announcement?: Buffer) => Promise<'transferred' | { failed: string }>;

export interface TransferOptions {
  agent: UserAgent;
  call: SipCall;
  /** Our number, which the new person sees if we have to call. */
  from: string;
}

/**
 * Asks the trunk to transfer the call. If the trunk does not support that, or there is something to announce, calls the number and
 * connects the two calls.
 */
export function createTransfer(options: TransferOptions): Transfer {
  const { call } = options;
  return async (to, announcement) => {
    const outcome = announcement ? 'unsupported' : await call.refer(to);
    if (outcome === 'transferred') {
      call.hangUp({ cause: 'transferred' });
      return 'transferred';
    }
    if (call.isOver) return { failed: 'The call has ended.' };
    if (outcome === 'failed') return { failed: 'The trunk could not transfer the call.' };
    const second = await callSecond(options, to, announcement);
    if ('failed' in second) return second;
    call.media.playout.clear();
    connect(call, second);
    connect(second, call);
    return 'transferred';
  };
}

async function callSecond(
  { agent, call, from }: TransferOptions,
  to: string,
  announcement: Buffer | undefined,
): Promise<SipCall | { failed: string }> {
  const media = await agent.openMedia(call.media.format);
  if (!media) return { failed: 'All ports for audio are in use.' };
  const { promise, resolve } = Promise.withResolvers<SipCall | { failed: string }>();
  let isRinging = false;
  const dialing = dial(
    agent,
    { from, to, ringMs: agent.timers.transferRing, media },
    {
      onProgress(status) {
        if (status >= 180 && !isRinging) call.media.fill(createRingback(call.media.format));
        isRinging ||= status >= 180;
      },
      onAnswered: resolve,
      onFailed: ({ end: { cause, detail } }) =>
        resolve({ failed: `The number could not be reached: ${detail ?? cause}` }),
    },
  );
  // The person may hang up while the other phone rings.
  const stopWatching = call.onOver(() => dialing.cancel());
  const second = await promise;
  stopWatching();
  if (announcement && !('failed' in second)) await announce(announcement, second, call);
  call.media.fill(undefined);
  if ('failed' in second) return second;
  if (second.isOver) return { failed: 'The person hung up before they were connected.' };
  if (!call.isOver) return second;
  second.hangUp();
  return { failed: 'The call has ended.' };
}

/** A person on hold hears it late. */
const announcementGraceMs = 5_000;

/** Resolves when it was played, or one of the two has hung up. The caller still hears it ring. */
async function announce(announcement: Buffer, to: SipCall, caller: SipCall): Promise<void> {
  const { playout, format } = to.media;
  playout.push(announcement);
  const until = performance.now() + durationMs(format, announcement) + announcementGraceMs;
  while (playout.playedMs < playout.queuedMs && !to.isOver && !caller.isOver && performance.now() < until)
    await setTimeout(frameMs);
}

/** A phone on hold misses what would have to wait longer than this. */
const maxWaitingMs = 200;
/** Packets that are late by less than this cause no gap. */
const cushionMs = 40;

/** Passes the audio of one call on to another of the same format, until one of them ends. The time limit of one ends both. */
function connect(from: SipCall, to: SipCall): void {
  const { playout, format } = to.media;
  const cushion = silence(format, cushionMs);
  playout.push(cushion);
  from.listen({
    onAudio(frame) {
      if (playout.queuedMs - playout.playedMs > maxWaitingMs) {
        playout.clear();
        playout.push(cushion);
      }
      playout.push(frame);
    },
    onDigit: (digit) => to.media.press(digit),
    onEnd: () => to.hangUp(),
  });
}

/** As in most of the world: a second of tone, then four of silence. */
const ringback = { frequency: 425, toneMs: 1_000, cycleMs: 5_000, amplitude: 4_000 };

/** What callers hear while another phone rings, frame by frame. */
function createRingback(format: AudioFormat): () => Buffer {
  const { frequency, toneMs, cycleMs, amplitude } = ringback;
  const sampleRate = sampleRateOf(format);
  const samples = Int16Array.from({ length: (sampleRate * toneMs) / 1_000 }, (_value, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequency * index) / sampleRate)),
  );
  const tone = encodeAudio(format, samples);
  const quiet = silence(format, frameMs);
  const frameLength = frameBytes(format);
  let at = 0;
  return () => {
    const start = at * frameLength;
    at = (at + 1) % (cycleMs / frameMs);
    return start < tone.length ? tone.subarray(start, start + frameLength) : quiet;
  };
}
