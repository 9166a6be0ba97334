/** Runs pieces of work at the same time, so many that the caller should wait for room. */
export function limitWork(limit: number) {
  let running = 0;
  let waiting: PromiseWithResolvers<void> | undefined;
  let failure: { error: unknown } | undefined;
  return {
    run<Result>(work: () => Promise<Result>): Promise<Result> {
      running += 1;
      const result = work();
      result.then(
        () => settled(),
        (error: unknown) => settled({ error }),
      );
      return result;
    },
    /** Resolves when there is room, and rejects if any work failed; undefined if there is room. */
    room(): Promise<void> | undefined {
      if (failure) return Promise.reject(failure.error);
      if (running < limit) return undefined;
      waiting ??= Promise.withResolvers();
      return waiting.promise;
    },
  };

  function settled(failed?: { error: unknown }): void {
    running -= 1;
    failure ??= failed;
    if (failure) waiting?.reject(failure.error);
    else waiting?.resolve();
    waiting = undefined;
  }
}
