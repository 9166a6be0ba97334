import type { ActivityDetection } from '../../activity/activity-detection.ts';
import { sampleRateOf } from '../../audio/format.ts';
import {
  type ListeningOptions,
  SpeechFailed,
  type SpeechToText,
  type TranscriptEvents,
  type TranscriptStream,
} from '../speech.ts';
import type { Recording } from './model-samples.ts';
import type { Recogniser, RecogniserSession } from './recogniser.ts';
import { createSegmenter, type SegmentEvent } from './segmenter.ts';

export interface LocalTranscriptStream extends TranscriptStream {
  /** Resolves when everything that was pushed is recognised, as far as it has ended, and looked at otherwise. */
  idle(): Promise<void>;
}

export interface LocalSpeechToText extends SpeechToText {
  open(options: ListeningOptions, events: TranscriptEvents): LocalTranscriptStream;
}

export interface LocalSpeechToTextOptions {
  /** Missing if the model is not installed. */
  recogniser: Recogniser | undefined;
  activity: ActivityDetection;
}

/** Recognises English with a model that needs no key. */
export function createLocalSpeechToText({
  recogniser,
  activity,
}: LocalSpeechToTextOptions): LocalSpeechToText {
  return {
    provider: 'local',
    open({ format }, events) {
      const sampleRate = sampleRateOf(format);
      const record = (windows: readonly Int16Array[]) => ({ sampleRate, samples: join(windows) });
      const transcript = createTranscript(recogniser, record, events);
      const segmenter = createSegmenter();
      const detector = activity.open(format, (heard, window) => {
        for (const event of segmenter.add(heard, window)) transcript.handle(event);
      });
      async function finishWhenSettled(): Promise<void> {
        await detector.settled();
        for (const event of segmenter.finish()) transcript.handle(event);
      }
      return {
        push: (audio) => void detector.push(audio),
        finish() {
          // What was pushed last may not be judged yet.
          void finishWhenSettled();
        },
        get isLate() {
          return transcript.isLate;
        },
        close() {
          detector.close();
          transcript.close();
        },
        async idle() {
          await detector.settled();
          await transcript.idle();
        },
      };
    },
  };
}

/** Turns pieces of speech into texts, in order. */
function createTranscript(
  recogniser: Recogniser | undefined,
  record: (windows: readonly Int16Array[]) => Recording,
  events: TranscriptEvents,
) {
  const over = new AbortController();
  /** Whether words are shown that have no final text yet. */
  let hasPartial = false;
  /** What was begun at a pause, and is the final text if nothing more is said. */
  let pause: { text: Promise<string>; abandon: AbortController } | undefined;
  let texts = Promise.resolve();
  let awaitedTexts = 0;
  let partials = Promise.resolve();
  const session: RecogniserSession | undefined = recogniser?.open(fail);
  if (!session) {
    queueMicrotask(() =>
      fail(new SpeechFailed('The model that listens is not installed: npm run voice:install.')),
    );
  }

  function fail(error: unknown): void {
    if (over.signal.aborted) return;
    close();
    events.onFailure(error instanceof Error ? error : new SpeechFailed(String(error)));
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
    // Partial texts are worth no failure: the final one reports it.
    const partial = await text.catch(() => undefined);
    if (!partial || over.signal.aborted || !isCurrent()) return;
    hasPartial = true;
    events.onPartial(partial);
  }

  async function showFinal(text: Promise<string>, previous: Promise<void>): Promise<void> {
    await previous;
    try {
      const final = await text;
      if (over.signal.aborted) return;
      const isTakenBack = hasPartial && final === '';
      hasPartial = false;
      if (isTakenBack) events.onPartial('');
      else if (final) events.onFinal(final);
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
    handle,
    close,
    get isLate() {
      return awaitedTexts > 0;
    },
    async idle() {
      await Promise.all([texts, partials]);
    },
  };
}

function join(windows: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(windows.reduce((length, window) => length + window.length, 0));
  let position = 0;
  for (const window of windows) {
    joined.set(window, position);
    position += window.length;
  }
  return joined;
}
