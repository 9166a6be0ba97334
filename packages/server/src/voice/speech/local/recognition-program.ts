/** The process that recognises speech for all calls of the service: one recording after the other. */
import { serveModel } from '../../local-models/serve-model.ts';
import { loadMoonshine } from './moonshine.ts';

export type RecognitionRequest = { job: number; samples: Float32Array } | { abandon: number };

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
    async function perform(job: number, samples: Float32Array, previous: Promise<void>): Promise<void> {
      await previous;
      const text = await recognise(samples, () => abandoned.has(job));
      abandoned.clear();
      answer(text === undefined ? { job } : { job, text });
    }

    return (message) => {
      const request = message as RecognitionRequest;
      if ('abandon' in request) {
        abandoned.add(request.abandon);
        return;
      }
      const { job, samples } = request;
      work = perform(job, samples, work);
    };
  },
  // Recognition takes all that it gets, and the sound of calls in progress is more important.
  { niceness: 5 },
);
