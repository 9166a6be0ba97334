import type { ModelFiles } from './model-files.ts';
import { type ModelProcess, startModelProcess } from './model-process.ts';
import type { ActivityAnswer } from './silero-program.ts';

export type Silero = ReturnType<typeof createSilero>;

export interface SileroEvents {
  /** In the order of the windows. */
  onProbability(probability: number): void;
  /** Nothing more is judged. */
  onFailure(error: Error): void;
}

export interface SileroOptions {
  models: ModelFiles;
  program?: URL;
  /** The process ends after this long without a line. */
  idleMs?: number;
  /** A process that owes an answer for this long is ended. */
  stuckAfterMs?: number;
}

const sileroProgram = new URL('./silero-program.ts', import.meta.url);

/** Judges the windows of all lines in one process. */
export function createSilero(options: SileroOptions) {
  const { models, program = sileroProgram, idleMs = 300_000, stuckAfterMs = 10_000 } = options;
  const lines = new Map<number, SileroEvents>();
  let running: ModelProcess | undefined;
  let nextLine = 1;
  let owed = 0;
  let idle: NodeJS.Timeout | undefined;
  let stuck: NodeJS.Timeout | undefined;

  function start(): ModelProcess {
    const started: ModelProcess = startModelProcess<ActivityAnswer>({
      program,
      models,
      onAnswer(verdicts) {
        owed -= verdicts.length;
        clearTimeout(stuck);
        if (owed > 0) expectAnswer();
        for (const { line, probability } of verdicts) lines.get(line)?.onProbability(probability);
      },
      onEnd(error) {
        if (running === started) fail(error);
      },
    });
    return started;
  }

  function expectAnswer(): void {
    stuck = setTimeout(() => running?.stop(), stuckAfterMs).unref();
  }

  function fail(error: Error): void {
    clearTimeout(idle);
    clearTimeout(stuck);
    running = undefined;
    owed = 0;
    const failed = [...lines.values()];
    lines.clear();
    for (const { onFailure } of failed) onFailure(error);
  }

  function stop(): void {
    const stopped = running;
    fail(new Error('Voice activity detection was stopped.'));
    stopped?.stop();
  }

  return {
    /** Begins with a line, and starts the process if there is none. */
    open(sampleRate: number, events: SileroEvents) {
      clearTimeout(idle);
      running ??= start();
      const own = running;
      const line = nextLine;
      nextLine += 1;
      lines.set(line, events);
      return {
        judge(samples: Int16Array): void {
          if (!lines.has(line)) return;
          if (owed === 0) expectAnswer();
          owed += 1;
          own.send({ line, sampleRate, samples });
        },
        close(): void {
          if (!lines.delete(line)) return;
          own.send({ forget: line });
          if (lines.size === 0) idle = setTimeout(stop, idleMs).unref();
        },
      };
    },
    stop,
  };
}
