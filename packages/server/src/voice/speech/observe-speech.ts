import type { ProviderObserver } from '../../models/providers/provider-observer.ts';
import type { Speaker, SpeechToText, TextToSpeech } from './speech.ts';

/** The same provider; it is observed how soon each sentence begins to sound, and what fails. */
export function observeSpeaking(provider: TextToSpeech, observer: ProviderObserver): TextToSpeech {
  return {
    ...provider,
    open: (options) => observeSpeaker(provider.provider, provider.open(options), observer),
  };
}

function observeSpeaker(provider: string, speaker: Speaker, observer: ProviderObserver): Speaker {
  return {
    async say(text, onAudio, signal) {
      const startedAt = performance.now();
      let isSounding = false;
      const observed = (audio: Buffer) => {
        if (!isSounding) observer.succeeded(provider, 'speaking', performance.now() - startedAt);
        isSounding = true;
        onAudio(audio);
      };
      try {
        await speaker.say(text, observed, signal);
      } catch (error) {
        if (!signal.aborted) observer.failed(provider, error);
        throw error;
      }
    },
    close: () => speaker.close(),
  };
}

/** The same provider; it is observed whether each stream ends well, and how long it was open. */
export function observeListening(provider: SpeechToText, observer: ProviderObserver): SpeechToText {
  return {
    ...provider,
    // Not copied: it changes.
    get lagMs() {
      return provider.lagMs ?? 0;
    },
    open(options, events) {
      const startedAt = performance.now();
      let isObserved = false;
      const stream = provider.open(options, {
        onPartial: (text) => events.onPartial(text),
        onFinal: (text) => events.onFinal(text),
        onEndOfSpeech: () => events.onEndOfSpeech(),
        onFailure(error) {
          isObserved = true;
          observer.failed(provider.provider, error);
          events.onFailure(error);
        },
      });
      return {
        push: (audio) => stream.push(audio),
        finish: () => stream.finish(),
        get isLate() {
          return stream.isLate;
        },
        close() {
          if (!isObserved) observer.succeeded(provider.provider, 'listening', performance.now() - startedAt);
          isObserved = true;
          stream.close();
        },
      };
    },
  };
}
