export interface CleanUp {
  /** What was added last is undone first. After Ctrl-C it is undone at once, and this throws. */
  add(step: () => Promise<void>): Promise<void>;
  /** Undoes everything, even if a step fails; repeated calls wait for the first. */
  run(): Promise<void>;
}

class InterruptedError extends Error {}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** However a benchmark ends, even by Ctrl-C, it leaves no process and no file behind. */
export function createCleanUp(): CleanUp {
  const steps: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;

  async function undoAll(): Promise<void> {
    for (let step = steps.pop(); step; step = steps.pop()) {
      try {
        await step();
      } catch (error) {
        console.error('Something was not cleaned up:', error);
        process.exitCode = 1;
      }
    }
    for (const signal of signals) process.off(signal, interrupt);
  }

  function run(): Promise<void> {
    running ??= undoAll();
    return running;
  }

  // What is being measured fails when its processes end, and so the run ends: nothing is cut off half-way.
  function interrupt(): void {
    process.exitCode = 130;
    void run();
  }

  for (const signal of signals) process.on(signal, interrupt);
  return {
    async add(step) {
      if (!running) return void steps.push(step);
      await step();
      throw new InterruptedError();
    },
    run,
  };
}
