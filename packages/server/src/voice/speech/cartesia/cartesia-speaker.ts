import { cartesiaSpeech } from '../../../models/providers/cartesia.ts';
import { sampleRateOf } from '../../audio/format.ts';
import { type SpeakingLimits, usualLimits } from '../shared/audio-of-sentence.ts';
import { listPages, type VoicePage } from '../shared/list-pages.ts';
import { asObject, type JsonObject, textOf } from '../shared/read-json.ts';
import type { ProviderName, ProviderOptions } from '../shared/refusal.ts';
import type { TextToSpeech } from '../speech.ts';
import { openCartesiaContexts } from './cartesia-contexts.ts';

const name: ProviderName = { label: 'Cartesia', keyVariable: 'CARTESIA_API_KEY' };
const model = 'sonic-3.5';
/** The one of the provider's own examples. */
const defaultVoice = 'e07c00bc-4134-4eae-9ea4-1a55fb45746b';

/** Speaks over one WebSocket per call, with a context of its own for every sentence. */
export function createCartesiaSpeaker(options: ProviderOptions<SpeakingLimits>): TextToSpeech {
  const { apiKey, baseUrl = cartesiaSpeech.baseUrl, lane, limits = usualLimits } = options;
  const headers = cartesiaSpeech.headers(apiKey);
  return {
    provider: 'cartesia',
    listVoices: (signal) =>
      listPages({ name, lane, first: firstCartesiaPage(baseUrl), headers, read: readCartesiaPage, signal }),
    open({ format, voice = defaultVoice }) {
      return openCartesiaContexts({
        name,
        format,
        limits,
        connect: (events) => lane.openWebSocket(new URL(`${baseUrl}/tts/websocket`), { headers, events }),
        request: {
          model_id: model,
          voice: { mode: 'id', id: voice },
          output_format: {
            container: 'raw',
            encoding: format === 'mulaw-8000' ? 'pcm_mulaw' : 'pcm_s16le',
            sample_rate: sampleRateOf(format),
          },
        },
      });
    },
  };
}

const pageSize = 100;

function firstCartesiaPage(baseUrl: string): URL {
  return new URL(`${baseUrl}/voices?limit=${pageSize}`);
}

const genders: Record<string, string> = {
  masculine: 'male',
  feminine: 'female',
  gender_neutral: 'neutral',
};

/** A page of GET /voices. Where it does not say whether more follow, the last page is the empty one. */
function readCartesiaPage(page: JsonObject, url: URL): VoicePage | undefined {
  if (!Array.isArray(page['data'])) return undefined;
  const voices = page['data'].flatMap((entry) => {
    const voice = asObject(entry) ?? {};
    const id = textOf(voice['id']);
    if (id === undefined) return [];
    const gender = textOf(voice['gender']);
    return {
      id,
      name: textOf(voice['name']) ?? id,
      language: textOf(voice['language']) ?? null,
      gender: gender === undefined ? null : (genders[gender] ?? gender),
    };
  });
  const last = voices.at(-1);
  if (page['has_more'] === false || !last) return { voices };
  const next = new URL(url);
  next.searchParams.set('starting_after', last.id);
  return { voices, next };
}
