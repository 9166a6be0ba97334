/** The process that recognises speech for all calls of the service: one recording after the other. */
import { serveModel } from '../../local-models/serve-model.ts';
import { loadMoonshine } from './moonshine.ts';

export type RecognitionRequest = { job: number; samples: Float32Array } | { abandon: number };

export interface RecognitionAnswer {
  job: number;
  /** Missing if the job was abandoned. */
  text?: string;
}

await serveModel<RecognitionRequest>(
  async (models, answer) => {
    const recognise = await loadMoonshine(models);
    const abandoned = new Set<number>();
    let work = Promise.resolve();
    return (request) => {
      if ('abandon' in request) {
        abandoned.add(request.abandon);
        return;
      }
      const { job, samples } = request;
      work = work.then(async () => {
        const text = await recognise(samples, () => abandoned.has(job));
        abandoned.clear();
        answer(text === undefined ? { job } : { job, text });
      });
    };
  },
  // Recognition takes all that it gets, and the sound of calls in progress is more important.
  { niceness: 10 },
);
