import { LRUCache } from 'lru-cache';
import { AppError, notFound } from '../../lib/app-error.ts';
import { createGrowingLru } from '../../lib/growing-lru.ts';
import type { Services } from '../../services.ts';
import { wavOf } from '../audio/wav.ts';
import { SpeechFailed, type TextToSpeech } from '../speech/speech.ts';
import { voiceOf } from '../speech/voice-of.ts';
import type { VoiceCatalog } from './voice-catalog.ts';

export type VoiceSamples = ReturnType<typeof createVoiceSamples>;

interface VoiceSampleDependencies extends Pick<Services, 'clock'> {
  speakers: readonly TextToSpeech[];
  catalog: VoiceCatalog;
}

const sentence = 'Hello, this is how I sound on the phone. How can I help you today?';
const format = 'pcm16-16000';
const timeLimitMs = 15_000;
const maxCacheBytes = 16 * 1024 * 1024;
const keptMs = 24 * 60 * 60_000;
/** Samples that are not in memory are spoken with the operator's key, and not charged. */
export const samplesPerMinute = 10;
const maxWorkspaces = 10_000;

/** Every sample is spoken once and then kept for all workspaces. */
export function createVoiceSamples({ speakers, catalog, clock }: VoiceSampleDependencies) {
  const kept = new LRUCache<string, Buffer>({
    maxSize: maxCacheBytes,
    sizeCalculation: (wav) => wav.length,
    ttl: keptMs,
  });
  const beingSpoken = new Map<string, Promise<Buffer>>();
  const counts = createGrowingLru<{ minute: number; count: number }>(maxWorkspaces);

  function count(workspaceId: string): void {
    const minute = Math.floor(clock.now().getTime() / 60_000);
    const before = counts.get(workspaceId);
    const used = before?.minute === minute ? before.count : 0;
    if (used >= samplesPerMinute) {
      throw new AppError('RATE_LIMITED', {
        message: `At most ${samplesPerMinute} new samples of voices can be made per minute.`,
        retryAfterSeconds: 60,
      });
    }
    counts.set(workspaceId, { minute, count: used + 1 });
  }

  async function speak(voiceId: string): Promise<Buffer> {
    const named = voiceOf(voiceId, undefined);
    const textToSpeech = speakers.find(({ provider }) => provider === named?.provider);
    if (!named || !textToSpeech) throw notFound();
    const speaker = textToSpeech.open({ format, voice: named.voice });
    try {
      const chunks: Buffer[] = [];
      await speaker.say(sentence, (audio) => void chunks.push(audio), AbortSignal.timeout(timeLimitMs));
      const wav = wavOf(format, Buffer.concat(chunks));
      kept.set(voiceId, wav);
      return wav;
    } catch (error) {
      const message = error instanceof SpeechFailed ? error.message : 'The voice took too long to speak.';
      throw new AppError('UPSTREAM_FAILED', { message, cause: error });
    } finally {
      speaker.close();
    }
  }

  return {
    /** A short sentence in a voice of the catalog, as a WAV file. */
    async get(workspaceId: string, voiceId: string): Promise<Buffer> {
      const ready = kept.get(voiceId) ?? beingSpoken.get(voiceId);
      if (ready) return ready;
      const isKnown = (await catalog.list()).some(({ id }) => id === voiceId);
      if (!isKnown) throw notFound();
      const meanwhile = kept.get(voiceId) ?? beingSpoken.get(voiceId);
      if (meanwhile) return meanwhile;
      count(workspaceId);
      const speaking = speak(voiceId).finally(() => beingSpoken.delete(voiceId));
      beingSpoken.set(voiceId, speaking);
      return speaking;
    },
  };
}
