/** Ends a call whose server is silent for too long, or that takes too long altogether. Time in which a person is asked does not count. */
export type CallWatch = ReturnType<typeof createCallWatch>;

export interface CallWatchOptions {
  maxSilenceMs: number;
  maxCallMs: number;
  onTimeout(): void;
}

export function createCallWatch({ maxSilenceMs, maxCallMs, onTimeout }: CallWatchOptions) {
  let silence: NodeJS.Timeout | undefined;
  let total: NodeJS.Timeout | undefined;
  let leftMs = maxCallMs;
  let startedAt = 0;
  let questions = 0;
  let isOver = false;

  function heard(): void {
    clearTimeout(silence);
    if (questions === 0 && !isOver) silence = setTimeout(onTimeout, maxSilenceMs);
  }

  function start(): void {
    heard();
    startedAt = performance.now();
    total = setTimeout(onTimeout, leftMs);
  }

  function pause(): void {
    clearTimeout(silence);
    clearTimeout(total);
    leftMs -= performance.now() - startedAt;
  }

  start();
  return {
    /** The server has reported something. */
    heard,
    stop(): void {
      isOver = true;
      clearTimeout(silence);
      clearTimeout(total);
    },
    async whileAsking<Result>(work: () => Promise<Result>): Promise<Result> {
      if (questions === 0) pause();
      questions += 1;
      try {
        return await work();
      } finally {
        questions -= 1;
        if (questions === 0 && !isOver) start();
      }
    },
  };
}
