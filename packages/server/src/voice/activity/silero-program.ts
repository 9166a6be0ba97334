/** The process that tells speech from other sounds for all calls of the service: windows come in, probabilities go out. */
import { loadRuntime, type Session, sessionOptions, type Tensor } from '../local-models/onnx-runtime.ts';
import { serveModel } from '../local-models/serve-model.ts';

export type ActivityRequest = { line: number; sampleRate: number; samples: Int16Array } | { forget: number };

export interface ActivityAnswer {
  line: number;
  probability: number;
}

interface LineState {
  state: Tensor;
  /** The end of the previous window. Without it the model recognises hardly anything. */
  context: Float32Array;
}

await serveModel(
  async ({ runtime, activity }, answer) => {
    const { Tensor, InferenceSession } = loadRuntime(runtime);
    const session: Session = await InferenceSession.create(activity, sessionOptions);
    const lines = new Map<number, LineState>();
    let work = Promise.resolve();

    async function judge(line: number, sampleRate: number, samples: Int16Array): Promise<void> {
      const known = lines.get(line);
      const context = known?.context ?? new Float32Array(sampleRate / 250);
      const state = known?.state ?? new Tensor('float32', new Float32Array(256), [2, 1, 128]);
      const window = new Float32Array(context.length + samples.length);
      window.set(context);
      for (const [index, sample] of samples.entries()) window[context.length + index] = sample / 32_768;
      const { output, stateN } = await session.run({
        input: new Tensor('float32', window, [1, window.length]),
        state,
        sr: new Tensor('int64', BigInt64Array.of(BigInt(sampleRate)), []),
      });
      if (stateN) lines.set(line, { state: stateN, context: window.slice(samples.length) });
      answer({ line, probability: output?.data[0] ?? 0 });
    }

    async function handle(request: ActivityRequest, previous: Promise<void>): Promise<void> {
      await previous;
      if ('forget' in request) lines.delete(request.forget);
      else await judge(request.line, request.sampleRate, request.samples);
    }

    return (message) => {
      const request = message as ActivityRequest;
      // One after the other; a failure ends the process.
      work = handle(request, work);
    };
  },
  { niceness: 0 },
);
