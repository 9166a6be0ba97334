import { useEffect, useRef, useState } from 'react';
import { readSample } from '../../api/voice.ts';
import { useWorkspace } from '../../app/workspace.tsx';

export interface Samples {
  /** The voice that is heard, or about to be. */
  current: { voice: string; state: 'loading' | 'playing' } | undefined;
  failed: { voice: string; error: unknown } | undefined;
  /** Plays the sample of a voice in place of another one, or stops it. */
  toggle(voice: string): void;
}

/** Samples of voices, one at a time. The page's policy allows no audio elements with data of their own. */
export function useSample(): Samples {
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
