const signals: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Whatever does not end by then is left to the next start, which reports it as interrupted. */
const maxStopMs = 20_000;
/** One Ctrl-C can arrive twice: from the terminal, and from the shell that passes signals on in containers. */
const repeatMs = 1_000;

/** Aborted by the first signal; a second one ends the process at once. */
export function stopOnSignals(): AbortSignal {
  const stopping = new AbortController();
  let firstAt: number | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      if (firstAt !== undefined) {
        // 128 and the number of SIGINT, as shells report it.
        if (performance.now() - firstAt >= repeatMs) process.exit(130);
        return;
      }
      firstAt = performance.now();
      stopping.abort();
      setTimeout(() => process.exit(130), maxStopMs).unref();
    });
  }
  return stopping.signal;
}
