import type { CatalogVoice } from '@svc/contract/voice';
import type { Services } from '../../services.ts';
import type { TextToSpeech } from '../speech/speech.ts';

export type VoiceCatalog = ReturnType<typeof createVoiceCatalog>;

interface VoiceCatalogDependencies extends Pick<Services, 'clock' | 'log'> {
  speakers: readonly Pick<TextToSpeech, 'provider' | 'listVoices'>[];
  timeLimitMs?: number;
}

const freshMs = 10 * 60_000;
const retryAfterMs = 30_000;

/** Lists are kept for ten minutes; an older one is still returned while it is fetched again. */
export function createVoiceCatalog(dependencies: VoiceCatalogDependencies) {
  const shelves = dependencies.speakers.map((speaker) => createShelf(speaker, dependencies));
  return {
    /** The voices of all providers that have a key. Never rejects: a provider that fails keeps its last list. */
    async list(): Promise<CatalogVoice[]> {
      return (await Promise.all(shelves.map((voices) => voices()))).flat();
    },
  };
}

/** The voices of one provider. */
function createShelf(
  speaker: VoiceCatalogDependencies['speakers'][number],
  { log, clock, timeLimitMs = 10_000 }: VoiceCatalogDependencies,
): () => Promise<CatalogVoice[]> {
  let known: CatalogVoice[] | undefined;
  let nextFetch = 0;
  let fetching: Promise<void> | undefined;
  const now = () => clock.now().getTime();

  async function refresh(): Promise<void> {
    try {
      const voices = await speaker.listVoices(AbortSignal.timeout(timeLimitMs));
      known = voices.map((voice) => ({ ...voice, id: `${speaker.provider}/${voice.id}` }));
      nextFetch = now() + freshMs;
    } catch (error) {
      nextFetch = now() + retryAfterMs;
      log.warn({ err: error, provider: speaker.provider }, 'the voices of a provider could not be listed');
    }
  }

  return async () => {
    if (now() >= nextFetch) {
      fetching ??= refresh().finally(() => {
        fetching = undefined;
      });
    }
    if (known === undefined) await fetching;
    return known ?? [];
  };
}
