import { setTimeout as sleep } from 'node:timers/promises';
import type { LaneResponse } from '../../../egress/trusted-lane.ts';
import { elevenlabsSpeech } from '../../../models/providers/elevenlabs.ts';
import { audioOfSentence, type SpeakingLimits, usualLimits } from '../shared/audio-of-sentence.ts';
import { listPages, type VoicePage } from '../shared/list-pages.ts';
import { asObject, type JsonObject, readJson, textOf } from '../shared/read-json.ts';
import {
  isPassing,
  type ProviderName,
  type ProviderOptions,
  refusalOf,
  safeReason,
} from '../shared/refusal.ts';
import { type SpeakingOptions, SpeechFailed, type TextToSpeech } from '../speech.ts';

export const elevenLabsName: ProviderName = { label: 'ElevenLabs', keyVariable: 'ELEVENLABS_API_KEY' };
const name = elevenLabsName;
/** The fastest one, for 32 languages. */
const model = 'eleven_flash_v2_5';
/** One of those that every account has. */
const defaultVoice = 'JBFqnCBsd6RMkjVDRZzb';
const maxPreviousText = 300;

/**
 * Speaks by one request per sentence. Sentences arrive whole, and for whole texts the provider answers a request sooner than a
 * message on a WebSocket, which it collects with what may follow.
 */
export function createElevenLabsSpeaker(options: ProviderOptions<SpeakingLimits>): TextToSpeech {
  const { apiKey, baseUrl = elevenlabsSpeech.baseUrl, lane, limits = usualLimits } = options;
  const headers = elevenlabsSpeech.headers(apiKey);

  return {
    provider: 'elevenlabs',
    listVoices: (signal) =>
      listPages({
        name,
        lane,
        first: firstElevenLabsPage(baseUrl),
        headers,
        read: readElevenLabsPage,
        signal,
      }),
    open({ format, voice = defaultVoice }: SpeakingOptions) {
      const closing = new AbortController();
      let previousText = '';
      const url = new URL(`${baseUrl}/v1/text-to-speech/${encodeURIComponent(voice)}/stream`);
      url.searchParams.set('output_format', format === 'mulaw-8000' ? 'ulaw_8000' : 'pcm_16000');
      void lane.warmUp(url);

      async function attempt(
        body: string,
        push: (audio: Buffer) => void,
        signal: AbortSignal,
      ): Promise<void> {
        const response = await lane.post(url, {
          headers: { ...headers, 'content-type': 'application/json' },
          body,
          signal,
        });
        if (response.status !== 200) throw await refusal(response);
        if (/^(text|application\/json)/.test(response.headers['content-type'] ?? '')) {
          response.release();
          throw new SpeechFailed(`${name.label} sent something else than audio.`);
        }
        await response.read((chunk) => {
          push(chunk);
          return undefined;
        });
      }

      return {
        async say(text, onAudio, signal) {
          const body = JSON.stringify({
            text,
            model_id: model,
            ...(previousText && { previous_text: previousText }),
          });
          previousText = text.slice(-maxPreviousText);
          const failing = new AbortController();
          const audio = audioOfSentence({
            label: name.label,
            text,
            format,
            limits,
            onAudio,
            fail: (error) => failing.abort(error),
          });
          const ending = AbortSignal.any([signal, failing.signal, closing.signal]);
          const busyUntil = performance.now() + limits.busyMs;
          const ask = async (hasRetried: boolean): Promise<void> => {
            try {
              return await attempt(body, audio.push, ending);
            } catch (error) {
              const passing = error instanceof PassingFailure ? error : undefined;
              const isRefused = error instanceof SpeechFailed && !passing;
              if (audio.hasBegun || ending.aborted || isRefused) throw error;
              // Other sentences are being spoken: those of this call, and of others.
              const isBusy = passing?.status === 429 && performance.now() < busyUntil;
              if (hasRetried && !isBusy) throw error;
              if (passing) await sleep(limits.retryMs, undefined, { signal: ending });
              return ask(hasRetried || !isBusy);
            }
          };
          try {
            await ask(false);
            if (ending.aborted) throw ending.reason;
            if (!audio.hasBegun) throw new SpeechFailed(`${name.label} sent no audio.`);
          } catch (error) {
            if (ending.aborted) throw ending.reason;
            if (error instanceof SpeechFailed) throw error;
            throw new SpeechFailed(`${name.label} could not be reached, or broke off.`, { cause: error });
          } finally {
            audio.stop();
          }
        },
        close: () => closing.abort(new SpeechFailed('The call is over.')),
      };
    },
  };
}

/** Another attempt may succeed. */
class PassingFailure extends SpeechFailed {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

async function refusal(response: LaneResponse): Promise<SpeechFailed> {
  let text = '';
  await response.read((chunk) => {
    text += chunk.toString();
    return text.length > 10_000 ? 'enough' : undefined;
  });
  response.release();
  const detail = asObject(readJson(text)?.['detail']);
  const reason = safeReason(detail?.['status']) ?? safeReason(detail?.['code']);
  const failure = refusalOf(name, response.status, reason);
  return isPassing(response.status) ? new PassingFailure(failure.message, response.status) : failure;
}

const pageSize = 100;

function firstElevenLabsPage(baseUrl: string): URL {
  return new URL(`${baseUrl}/v2/voices?page_size=${pageSize}&include_total_count=false`);
}

/** A page of GET /v2/voices. */
function readElevenLabsPage(page: JsonObject, url: URL): VoicePage | undefined {
  if (!Array.isArray(page['voices'])) return undefined;
  const voices = page['voices'].flatMap((entry) => {
    const voice = asObject(entry) ?? {};
    const labels = asObject(voice['labels']) ?? {};
    const id = textOf(voice['voice_id']);
    if (id === undefined) return [];
    return {
      id,
      name: textOf(voice['name']) ?? id,
      language: textOf(labels['language']) ?? null,
      gender: textOf(labels['gender']) ?? null,
    };
  });
  const token = textOf(page['next_page_token']);
  if (page['has_more'] !== true || token === undefined) return { voices };
  const next = new URL(url);
  next.searchParams.set('next_page_token', token);
  return { voices, next };
}
