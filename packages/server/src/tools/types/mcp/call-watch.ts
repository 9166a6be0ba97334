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
  let questions = 0;

  function heard(): void {
    clearTimeout(silence);
    if (questions === 0) silence = setTimeout(onTimeout, maxSilenceMs);
  }

  function start(): void {
    heard();
    total = setTimeout(onTimeout, maxCallMs);
  }

  function stop(): void {
    clearTimeout(silence);
    clearTimeout(total);
  }

  start();
  return {
    /** The server has reported something. */
    heard,
    stop,
    async whileAsking<Result>(work: () => Promise<Result>): Promise<Result> {
      questions += 1;
      stop();
      try {
        return await work();
      } finally {
        questions -= 1;
        if (questions === 0) start();
      }
    },
  };
}
