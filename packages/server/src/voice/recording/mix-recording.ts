import { pcmToMulaw } from '@svc/sip/g711';
import { createAudioQueue } from '@svc/sip/media/audio-queue';
import { recordedChannels, silentByte } from '../../voice-calls/recordings/call-recordings.service.ts';
import { type AudioFormat, bytesPerMs, sampleRateOf } from '../audio/format.ts';
import { decodeAudio } from '../audio/line-audio.ts';

/** How far the sound may be from the clock: less is jitter of the network. */
const toleranceMs = 500;
/** Around a key: a telephone may also send its tone as sound. */
const toneMs = 400;

export interface MixOptions {
  format: AudioFormat;
  partBytes: number;
  /** A clock that only moves forward, in milliseconds. */
  now(): number;
  /** How much of what was sent was heard, as the line says it. */
  playedMs(): number;
  /** A part is full, and too old for a key to be heard at its end; the buffer is not used again. */
  onPart(audio: Buffer): void;
}

/**
 * Both sides of a call as one sound with two channels, part by part. The frames of the caller are its clock; what the bot says is
 * taken over as it is heard, so that speech that was cut off is not in it.
 */
export function mixRecording({ format, partBytes, now, playedMs, onPart }: MixOptions) {
  const begunAt = now();
  const perMs = sampleRateOf(format) / 1_000;
  const bytesPerSample = bytesPerMs(format) / perMs;
  const unheard = createAudioQueue();
  const heard = createAudioQueue();
  const toneBytes = Math.floor(toneMs * perMs) * recordedChannels;
  /** Full parts at whose end a key may still be silenced. */
  const held: Buffer[] = [];
  let heardBytes = 0;
  let part = Buffer.alloc(partBytes, silentByte);
  let filled = 0;
  let samples = 0;
  let mutedUntil = 0;

  function takeHeard(): void {
    const bytes = Math.floor(playedMs() * perMs) * bytesPerSample;
    heard.push(unheard.take(Math.max(0, bytes - heardBytes)));
    heardBytes = Math.max(heardBytes, bytes);
  }

  function write(caller: Buffer | undefined, count: number): void {
    const bot = toMulaw(heard.take(count * bytesPerSample));
    for (let index = 0; index < count; index += 1) {
      const isMuted = samples < mutedUntil;
      part[filled] = isMuted ? silentByte : (caller?.[index] ?? silentByte);
      part[filled + 1] = bot[index] ?? silentByte;
      filled += recordedChannels;
      samples += 1;
      if (filled < partBytes) continue;
      held.push(part);
      part = Buffer.alloc(partBytes, silentByte);
      filled = 0;
    }
    handOver(toneBytes);
  }

  /** Hands over the parts that are followed by so many bytes. */
  function handOver(following: number): void {
    while (held[0] && (held.length - 1) * partBytes + filled >= following) {
      onPart(held[0]);
      held.shift();
    }
  }

  function toMulaw(audio: Buffer): Buffer {
    return format === 'mulaw-8000' ? audio : pcmToMulaw(decodeAudio(format, audio));
  }

  return {
    /** Where the recording is. */
    get ms(): number {
      return samples / perMs;
    },
    caller(frame: Buffer): void {
      takeHeard();
      const audio = toMulaw(frame);
      const missing = (now() - begunAt) * perMs - samples - audio.length;
      // The telephone sent nothing for a while, or sends now what is already filled with silence.
      if (missing > toleranceMs * perMs) write(undefined, Math.floor(missing));
      if (missing >= -toleranceMs * perMs) write(audio, audio.length);
    },
    bot(audio: Buffer): void {
      unheard.push(audio);
    },
    /** What was sent and not heard never will be. */
    clear(): void {
      takeHeard();
      unheard.clear();
    },
    /** Silences the caller around this moment. */
    mute(): void {
      let left = toneBytes;
      for (const [buffer, end] of [[part, filled] as const, ...held.toReversed().map(fullPart)]) {
        const back = Math.min(end, left);
        for (let at = end - back; at < end; at += recordedChannels) buffer[at] = silentByte;
        left -= back;
      }
      mutedUntil = samples + toneMs * perMs;
    },
    /** At the end: hands over the full parts, and returns what is in the last one. */
    remainder(): Buffer {
      handOver(0);
      return part.subarray(0, filled);
    },
  };
}

const fullPart = (part: Buffer) => [part, part.length] as const;
