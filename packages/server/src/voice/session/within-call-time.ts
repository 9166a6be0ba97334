/** Resolves when the work is done, or after this time. */
export async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise: timedOut, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
