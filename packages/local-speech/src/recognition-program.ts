/** The process that recognises speech for all calls of the service: one recording after the other. */
import { serveModel } from './model-program.ts';
import { modelSamples, type Recording } from './model-samples.ts';
import { loadMoonshine } from './moonshine.ts';

export type RecognitionRequest = { job: number; recording: Recording } | { abandon: number };

export interface RecognitionAnswer {
  job: number;
  /** Missing if the job was abandoned. */
  text?: string;
}

await serveModel(
  async (models, answer) => {
    const recognise = await loadMoonshine(models);
    const abandoned = new Set<number>();
    let work = Promise.resolve();
    async function perform(job: number, recording: Recording, previous: Promise<void>): Promise<void> {
      await previous;
      // The recording is converted here, because that would block all calls in the process of the service.
      const text = await recognise(modelSamples(recording), () => abandoned.has(job));
      abandoned.clear();
      answer(text === undefined ? { job } : { job, text });
    }

    return (message) => {
      const request = message as RecognitionRequest;
      if ('abandon' in request) {
        abandoned.add(request.abandon);
        return;
      }
      work = perform(request.job, request.recording, work);
    };
  },
  // Recognition uses all the processor time that it gets, and the audio of calls in progress is more important.
  { niceness: 5 },
);
