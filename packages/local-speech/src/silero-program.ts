/** The process that tells speech from other sounds for all calls of the service: windows come in, probabilities go out. */
import { loadRuntime, type OnnxSession, serveModel, sessionOptions } from './model-program.ts';

export type ActivityRequest = { line: number; sampleRate: number; samples: Int16Array } | { forget: number };

/** For the next window of each of these lines. */
export type ActivityAnswer = { line: number; probability: number }[];

interface Line {
  line: number;
  sampleRate: number;
  /** Windows that wait, in order. */
  windows: Int16Array[];
  /** What the model remembers: two layers. */
  state: Float32Array;
  /** The end of the previous window. Without it the model recognises hardly anything. */
  context: Float32Array;
}

const layer = 128;
const maxLines = 32;

await serveModel(
  async ({ runtime, activity }, answer) => {
    const { Tensor, InferenceSession } = loadRuntime(runtime);
    const session: OnnxSession = await InferenceSession.create(activity, sessionOptions);
    const lines = new Map<number, Line>();
    const waiting = new Set<Line>();
    let isBusy = false;

    /** Lines are judged together, one window of each: twenty cost little more than two. */
    async function judge(batch: readonly Line[], sampleRate: number): Promise<void> {
      const count = batch.length;
      const windows = batch.map(nextWindow);
      const length = windows[0]?.length ?? 0;
      const input = new Float32Array(count * length);
      const state = new Float32Array(2 * count * layer);
      for (const [index, window] of windows.entries()) {
        const own = batch[index]?.state ?? new Float32Array(2 * layer);
        input.set(window, index * length);
        state.set(own.subarray(0, layer), index * layer);
        state.set(own.subarray(layer), (count + index) * layer);
      }
      const { output, stateN } = await session.run({
        input: new Tensor('float32', input, [count, length]),
        state: new Tensor('float32', state, [2, count, layer]),
        sr: new Tensor('int64', BigInt64Array.of(BigInt(sampleRate)), []),
      });
      for (const [index, line] of batch.entries()) {
        for (const part of stateN ? [0, 1] : []) {
          const from = (part * count + index) * layer;
          line.state.set(stateN?.data.subarray(from, from + layer) ?? [], part * layer);
        }
      }
      answer(batch.map(({ line }, index) => ({ line, probability: output?.data[index] ?? 0 })));
    }

    /** Judges until nothing waits. A failure ends the process. */
    async function work(): Promise<void> {
      if (isBusy) return;
      isBusy = true;
      for (let [first] = waiting; first; [first] = waiting) {
        const { sampleRate, windows } = first;
        const length = windows[0]?.length;
        const batch = [...waiting]
          .filter((line) => line.sampleRate === sampleRate && line.windows[0]?.length === length)
          .slice(0, maxLines);
        for (const line of batch) waiting.delete(line);
        await judge(batch, sampleRate);
        // Other lines come first.
        for (const line of batch) if (line.windows.length > 0) waiting.add(line);
      }
      isBusy = false;
    }

    function lineOf(line: number, sampleRate: number): Line {
      const known = lines.get(line);
      if (known) return known;
      const state = new Float32Array(2 * layer);
      const context = new Float32Array(sampleRate / 250);
      const added: Line = { line, sampleRate, windows: [], state, context };
      lines.set(line, added);
      return added;
    }

    return (message) => {
      const request = message as ActivityRequest;
      if ('forget' in request) {
        // Windows that wait are still answered.
        lines.delete(request.forget);
        return;
      }
      const line = lineOf(request.line, request.sampleRate);
      line.windows.push(request.samples);
      if (line.windows.length === 1) waiting.add(line);
      void work();
    };
  },
  { niceness: 0 },
);

/** Takes it from those that wait, and puts the end of the previous one before it. */
function nextWindow(line: Line): Float32Array {
  const samples = line.windows.shift() ?? new Int16Array();
  const { context } = line;
  const window = new Float32Array(context.length + samples.length);
  window.set(context);
  for (const [index, sample] of samples.entries()) window[context.length + index] = sample / 32_768;
  line.context = window.slice(samples.length);
  return window;
}
