import type { ConsoleSession } from '@svc/contract/console-session';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { callConsole } from './client.ts';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => callConsole<ConsoleSession>('GET', '/session'),
});

/** Reads again who is signed in, and what they may do. */
export async function refreshSession(queries: QueryClient): Promise<ConsoleSession> {
  return queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
}
