import { expect, it } from 'vitest';
import { noObserver } from '../../models/providers/provider-observer.ts';
import { observeListening } from './observe-speech.ts';
import type { TranscriptEvents } from './speech.ts';

/** What is observed of a stream that ends like this. */
function observe(end: (stream: { close(): void }, events: TranscriptEvents) => void): string[] {
  const observed: string[] = [];
  const played: TranscriptEvents[] = [];
  const listener = observeListening(
    {
      provider: 'deepgram',
      open(_options, events) {
        played.push(events);
        return { push: () => undefined, finish: () => undefined, isLate: false, close: () => undefined };
      },
    },
    {
      ...noObserver,
      succeeded: (provider, operation) => void observed.push(`${provider} ${operation}`),
      failed: (provider) => void observed.push(`${provider} failed`),
    },
  );
  const ignore = () => undefined;
  const heard = { onPartial: ignore, onFinal: ignore, onEndOfSpeech: ignore, onFailure: ignore };
  const stream = listener.open({ format: 'mulaw-8000' }, heard);
  for (const events of played) end(stream, events);
  return observed;
}

it('counts a stream that is closed as one success', () => {
  const closeTwice = (stream: { close(): void }) => {
    stream.close();
    stream.close();
  };
  expect(observe(closeTwice)).toEqual(['deepgram listening']);
});

it('counts a stream that fails as a failure only', () => {
  const failAndClose = (stream: { close(): void }, events: TranscriptEvents) => {
    events.onFailure(new Error('gone'));
    stream.close();
  };
  expect(observe(failAndClose)).toEqual(['deepgram failed']);
});
