/** Waits for the work only so long, then fails with the message. The work itself goes on. */
export async function within<Value>(
  milliseconds: number,
  work: Promise<Value>,
  message: string,
): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(message)), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
