import { isConnectionFailure } from '../driver-error.ts';

/** Says what to do if the connection was lost. Errors of files have the same codes, but come with a cause. */
export function explainLostConnection(error: unknown, advice: string): unknown {
  if (!(error instanceof Error) || error.cause !== undefined || !isConnectionFailure(error)) return error;
  return new Error(`The connection to PostgreSQL was lost. ${advice}`, { cause: error });
}
