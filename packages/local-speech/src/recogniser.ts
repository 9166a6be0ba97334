import { LocalSpeechFailed, type RunFairly } from './local-speech.ts';
import type { ModelFiles } from './model-files.ts';
import { type ModelProcess, startModelProcess } from './model-process.ts';
import type { Recording } from './model-samples.ts';
import { plausibleText } from './plausible-text.ts';
import type { RecognitionAnswer } from './recognition-program.ts';

export type Recogniser = ReturnType<typeof createRecogniser>;

interface Job {
  id: number;
  isGlance: boolean;
  outcome: PromiseWithResolvers<string | undefined>;
}

const recognitionProgram = new URL('./recognition-program.ts', import.meta.url);

/** Recognises the speech of all calls in one process, one recording at a time. */
export function createRecogniser(options: {
  models: ModelFiles;
  /** One at a time. */
  runFairly: RunFairly;
  program?: URL;
  /** The memory of the model is freed after this long without a call. */
  idleMs?: number;
  /** A process that takes longer for one recording is ended. */
  stuckAfterMs?: number;
  /** A recording has got its text this long after it was complete. */
  onRecognised?(milliseconds: number): void;
}) {
  const {
    models,
    runFairly,
    program = recognitionProgram,
    idleMs = 300_000,
    stuckAfterMs = 60_000,
  } = options;
  const sessions = new Map<string, (error: Error) => void>();
  let running: ModelProcess | undefined;
  let current: Job | undefined;
  let count = 0;
  let outstanding = 0;
  /** When the recordings were complete that have no text yet, oldest first. */
  const awaited = new Set<{ since: number }>();
  let idle: NodeJS.Timeout | undefined;

  function start(): ModelProcess {
    const started: ModelProcess = startModelProcess<RecognitionAnswer>({
      program,
      models,
      onAnswer: ({ job, text }) => {
        if (current?.id === job) current.outcome.resolve(text);
      },
      onEnd(error) {
        if (running === started) fail(new LocalSpeechFailed(`Speech recognition failed. ${error.message}`));
      },
    });
    return started;
  }

  function fail(error: Error): void {
    clearTimeout(idle);
    running = undefined;
    current?.outcome.reject(error);
    const failed = [...sessions.values()];
    sessions.clear();
    for (const onFailure of failed) onFailure(error);
  }

  function stop(): void {
    const stopped = running;
    fail(new LocalSpeechFailed('Speech recognition was stopped.'));
    stopped?.stop();
  }

  async function work(
    own: ModelProcess,
    recording: Recording,
    isGlance: boolean,
  ): Promise<string | undefined> {
    if (running !== own) throw new LocalSpeechFailed('Speech recognition has ended.');
    count += 1;
    const job: Job = { id: count, isGlance, outcome: Promise.withResolvers() };
    current = job;
    const stuck = setTimeout(() => own.stop(), stuckAfterMs);
    try {
      own.send({ job: job.id, recording });
      const text = await job.outcome.promise;
      return text === undefined ? undefined : plausibleText(text);
    } finally {
      clearTimeout(stuck);
      current = undefined;
    }
  }

  return {
    /** Begins with a call; loads the model if it is not loaded. `onFailure` is called at most once. */
    open(onFailure: (error: Error) => void) {
      clearTimeout(idle);
      running ??= start();
      const own = running;
      count += 1;
      const session = `session ${count}`;
      sessions.set(session, onFailure);

      async function enter<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
        outstanding += 1;
        try {
          return await runFairly(session, signal, run);
        } finally {
          outstanding -= 1;
        }
      }

      return {
        /** Waits until there is room for it. Aborting only ends the waiting. */
        async recognise(recording: Recording, signal: AbortSignal): Promise<string> {
          if (current?.isGlance) own.send({ abandon: current.id });
          const entry = { since: performance.now() };
          awaited.add(entry);
          try {
            const text = await enter(signal, () => work(own, recording, false));
            options.onRecognised?.(performance.now() - entry.since);
            return text ?? '';
          } finally {
            awaited.delete(entry);
          }
        },
        /** Recognises now or not at all: `undefined` if other work runs or arrives. The recording is only requested if needed. */
        async glance(record: () => Recording): Promise<string | undefined> {
          if (outstanding > 0) return undefined;
          return enter(AbortSignal.timeout(stuckAfterMs), () => work(own, record(), true));
        },
        /** Repeated calls do nothing. */
        close(): void {
          if (!sessions.delete(session)) return;
          clearTimeout(idle);
          if (sessions.size === 0 && running === own) idle = setTimeout(stop, idleMs).unref();
        },
      };
    },
    /** How long the oldest recording without a text has been waiting for one. */
    get lagMs(): number {
      const [oldest] = awaited;
      return oldest ? performance.now() - oldest.since : 0;
    },
    stop,
  };
}
