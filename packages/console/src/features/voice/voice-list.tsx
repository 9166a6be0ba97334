import type { CatalogVoice } from '@svc/contract/voice';
import { LoaderCircle, Play, Square } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { readSample } from '../../api/voice.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { IconButton } from '../../kit/buttons.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { languageName, providerName, type VoiceGroup } from './catalog-groups.ts';

interface VoiceListProps {
  groups: readonly VoiceGroup[];
  /** What can be done with a voice. */
  actions: (voice: CatalogVoice) => ReactNode;
}

const sampleIcons = {
  silent: <Play aria-hidden />,
  loading: <LoaderCircle aria-hidden className="animate-spin" />,
  playing: <Square aria-hidden />,
};

/** Voices by provider, each with its sample. */
export function VoiceList({ groups, actions }: VoiceListProps) {
  const { current, failed, toggle } = useSample();
  return groups.map(({ provider, voices }) => (
    <section key={provider} aria-label={providerName(provider)}>
      <h2 className="bg-sunken px-4 py-1.5 font-medium text-ink-2 text-sm md:px-6">
        {providerName(provider)} <span className="font-normal text-ink-3">{voices.length}</span>
      </h2>
      <ul>
        {voices.map((voice) => {
          const state = current?.voice === voice.id ? current.state : undefined;
          return (
            <li
              key={voice.id}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-1.5 [contain-intrinsic-size:auto_48px] [content-visibility:auto] md:px-6"
            >
              <IconButton
                label={state ? `Stop the sample of ${voice.name}` : `Play a sample of ${voice.name}`}
                icon={sampleIcons[state ?? 'silent']}
                onPress={() => toggle(voice.id)}
              />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium" title={voice.name}>
                  {voice.name}
                </span>
                <span className="block text-ink-3 text-sm">
                  {[voice.language && languageName(voice.language), voice.gender]
                    .filter(Boolean)
                    .join(' · ') || 'language unknown'}
                </span>
              </span>
              <span className="flex items-center gap-1">{actions(voice)}</span>
              {failed?.voice === voice.id && (
                <div className="w-full">
                  <InlineError error={failed.error} onRetry={() => toggle(voice.id)} />
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  ));
}

interface Samples {
  /** The voice that is heard, or about to be. */
  current: { voice: string; state: 'loading' | 'playing' } | undefined;
  failed: { voice: string; error: unknown } | undefined;
  /** Plays the sample of a voice in place of another one, or stops it. */
  toggle(voice: string): void;
}

/** Samples of voices, one at a time. The page's policy allows no audio elements with data of their own. */
function useSample(): Samples {
  const { api } = useWorkspace();
  const [current, setCurrent] = useState<Samples['current']>();
  const [failed, setFailed] = useState<Samples['failed']>();
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);

  async function play(voice: string): Promise<void> {
    const controller = new AbortController();
    const context = new AudioContext();
    stop.current = () => {
      controller.abort();
      void context.close();
      stop.current = undefined;
    };
    const end = stop.current;
    setCurrent({ voice, state: 'loading' });
    try {
      const audio = await context.decodeAudioData(await readSample(api, voice, controller.signal));
      if (controller.signal.aborted) return;
      const source = new AudioBufferSourceNode(context, { buffer: audio });
      source.connect(context.destination);
      source.addEventListener('ended', () => {
        if (controller.signal.aborted) return;
        end();
        setCurrent(undefined);
      });
      source.start();
      setCurrent({ voice, state: 'playing' });
    } catch (error) {
      if (controller.signal.aborted) return;
      end();
      setCurrent(undefined);
      setFailed({ voice, error: error instanceof DOMException ? 'The sample cannot be played.' : error });
    }
  }

  return {
    current,
    failed,
    toggle(voice) {
      stop.current?.();
      setFailed(undefined);
      setCurrent(undefined);
      if (current?.voice !== voice) void play(voice);
    },
  };
}
