const signals: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Whatever does not end by then is left to the next start, which reports it as interrupted. */
const maxStopMs = 20_000;

/** Aborted by the first signal; a second one ends the process at once. */
export function stopOnSignals(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of signals) {
    process.on(signal, () => {
      // 128 and the number of SIGINT, as shells report it.
      if (stopping.signal.aborted) process.exit(130);
      stopping.abort();
      setTimeout(() => process.exit(130), maxStopMs).unref();
    });
  }
  return stopping.signal;
}
