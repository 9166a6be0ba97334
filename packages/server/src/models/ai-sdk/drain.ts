const drainWithinMs = 1_000;

/**
 * Reads what follows the last part, in the background: a stream that is read to its end gives its connection back to the
 * pool. The reply is complete, so later failures do not matter.
 */
export function drain(reader: ReadableStreamDefaultReader<unknown>): void {
  const timer = setTimeout(() => {
    reader.cancel().catch(ignore);
  }, drainWithinMs).unref();
  readOn(reader)
    .catch(ignore)
    .finally(() => clearTimeout(timer));
}

async function readOn(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}

function ignore(): void {}
