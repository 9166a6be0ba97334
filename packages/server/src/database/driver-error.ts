const lostConnection = /^(08...|57P0[123]|53300|ECONN(REFUSED|RESET)|ENOENT|EPIPE|EAGAIN|ETIMEDOUT)$/;
const lostConnectionText =
  /Connection terminated|not queryable|timeout expired|timeout exceeded when trying to connect|Query read timeout|Cannot use a pool/;

export function violates(error: unknown, constraint: string): boolean {
  return driverError(error).constraint === constraint;
}

/** True when PostgreSQL rolled a transaction back in favour of another one: a second attempt may well succeed. */
export function isDeadlock(error: unknown): boolean {
  return driverError(error).code === '40P01';
}

/** True when a row that a function of ours must find has been deleted meanwhile. */
export function isRowMissing(error: unknown): boolean {
  return driverError(error).code === 'P0002';
}

/** True when PostgreSQL could not be reached, as opposed to having refused a statement. */
export function isConnectionFailure(error: unknown): boolean {
  const { code, message } = driverError(error);
  return lostConnection.test(code ?? '') || lostConnectionText.test(message ?? '');
}

/** The driver's error inside whatever wrapped it. */
function driverError(error: unknown): { code?: string; constraint?: string; message?: string } {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  return current as { code?: string; constraint?: string; message?: string };
}
