import type { Activity } from './activity-tracker.ts';
import { LocalSpeechFailed, SpeechNotInstalled } from './local-speech.ts';
import type { Recogniser } from './recogniser.ts';
import { joinSamples } from './resample.ts';
import { createSegmenter, type SegmentEvent } from './segmenter.ts';

/** Nothing is called after `close` or `onFailure`. */
export interface ListenerEvents {
  /** What was understood so far of what follows the last final text; replaces the previous one. */
  onPartial(text: string): void;
  /** Never empty. */
  onFinal(text: string): void;
  /** Called at most once. */
  onFailure(error: Error): void;
}

export interface ListenerOptions {
  /** Missing if the model is not installed. */
  recogniser: Recogniser | undefined;
  sampleRate: number;
}

/** Recognises what is said on one line, in English, with a model that needs no key. */
export function createListener({ recogniser, sampleRate }: ListenerOptions, events: ListenerEvents) {
  const segmenter = createSegmenter();
  const record = (windows: readonly Int16Array[]) => ({ sampleRate, samples: joinSamples(windows) });
  const over = new AbortController();
  /** The longest text that was shown and has no final one yet. */
  let bestPartial = '';
  /** The recognition that began at a pause: the final text, if nothing more is said. */
  let pause: { text: Promise<string>; abandon: AbortController } | undefined;
  let texts = Promise.resolve();
  let awaitedTexts = 0;
  let partials = Promise.resolve();
  const session = recogniser?.open(fail);
  if (!session) {
    queueMicrotask(() => fail(new SpeechNotInstalled('The model that listens is not installed.')));
  }

  function fail(error: unknown): void {
    if (over.signal.aborted) return;
    close();
    events.onFailure(error instanceof Error ? error : new LocalSpeechFailed(String(error)));
  }

  function close(): void {
    over.abort();
    session?.close();
  }

  function recognise(windows: readonly Int16Array[]): { text: Promise<string>; abandon: AbortController } {
    const abandon = new AbortController();
    const signal = AbortSignal.any([abandon.signal, over.signal]);
    const text = session?.recognise(record(windows), signal) ?? Promise.resolve('');
    // A failure is reported where the text is used, and by the session itself.
    text.catch(() => undefined);
    return { text, abandon };
  }

  async function showPartial(text: Promise<string | undefined>, isCurrent: () => boolean): Promise<void> {
    // A failure is reported with the final text.
    const partial = await text.catch(() => undefined);
    if (!partial || over.signal.aborted || !isCurrent()) return;
    if (wordsIn(partial) >= wordsIn(bestPartial)) bestPartial = partial;
    events.onPartial(partial);
  }

  async function showFinal(text: Promise<string>, previous: Promise<void>): Promise<void> {
    await previous;
    try {
      const heard = await text;
      if (over.signal.aborted) return;
      const shown = bestPartial;
      bestPartial = '';
      // The model sometimes finds nothing in a recording whose beginning it has understood. A single word is what it hears in a cough.
      const final = heard === '' && wordsIn(shown) > 1 ? shown : heard;
      if (final) events.onFinal(final);
      else if (shown) events.onPartial('');
    } catch (error) {
      fail(error);
    } finally {
      awaitedTexts -= 1;
    }
  }

  let segments = 0;
  function handle(event: SegmentEvent): void {
    if (over.signal.aborted || !session) return;
    const segment = segments;
    const isCurrent = () => segments === segment;
    switch (event.kind) {
      case 'started':
        break;
      case 'progress':
        partials = showPartial(
          session.glance(() => record(event.windows)),
          isCurrent,
        );
        break;
      case 'pause':
        pause = recognise(event.windows);
        partials = showPartial(pause.text, isCurrent);
        break;
      case 'resumed':
        pause?.abandon.abort();
        pause = undefined;
        break;
      case 'ended': {
        const { text } = (event.isSameAsPause && pause) || recognise(event.windows);
        pause = undefined;
        segments += 1;
        awaitedTexts += 1;
        texts = showFinal(text, texts);
        break;
      }
    }
  }

  return {
    /** The next window of audio, and whether there is speech in it. */
    add(activity: Activity, window: Int16Array): void {
      for (const event of segmenter.add(activity, window)) handle(event);
    },
    /** Asks for the final text of everything so far. */
    finish(): void {
      for (const event of segmenter.finish()) handle(event);
    },
    /** Whether there is speech that has ended and has no final text yet. */
    get isLate(): boolean {
      return awaitedTexts > 0;
    },
    /** Resolves when everything is recognised, as far as it has ended. */
    async idle(): Promise<void> {
      await Promise.all([texts, partials]);
    },
    close,
  };
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
