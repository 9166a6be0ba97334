import type { Log } from '../../../lib/log.ts';
import { type ActivityDetection, createActivityDetection } from '../../activity/activity-detection.ts';
import type { TextToSpeech } from '../speech.ts';
import { findInstalledSpeech, type InstalledSpeech } from './installed.ts';
import { createLocalSpeechToText, type LocalSpeechToText } from './local-speech-to-text.ts';
import { createLocalTextToSpeech } from './local-text-to-speech.ts';
import { createRecogniser } from './recogniser.ts';

/** Speech without a key, and the detection of voice activity, which every call uses. */
export interface LocalSpeech {
  installed: InstalledSpeech;
  textToSpeech: TextToSpeech;
  speechToText: LocalSpeechToText;
  activity: ActivityDetection;
  /** Ends the processes of the models. */
  stop(): void;
}

export interface LocalSpeechOptions {
  log: Pick<Log, 'warn'>;
  installed?: InstalledSpeech;
}

/** Loads nothing: models are loaded with the first call that uses them. */
export function createLocalSpeech({
  log,
  installed = findInstalledSpeech(),
}: LocalSpeechOptions): LocalSpeech {
  const { models, program } = installed;
  const recogniser = models && createRecogniser({ models });
  const activity = createActivityDetection({
    models,
    onFailure: (error) => log.warn({ err: error }, 'Voice activity is now told by loudness.'),
  });
  return {
    installed,
    activity,
    textToSpeech: createLocalTextToSpeech({ program }),
    speechToText: createLocalSpeechToText({ recogniser, activity }),
    stop() {
      recogniser?.stop();
      activity.stop();
    },
  };
}
