import { ApiError } from '@svc/client/api-error';
import { QueryClient } from '@tanstack/react-query';

/** The socket says what has changed, so nothing is read again just because time has passed or a window got focus. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (count, error) => count < 3 && isTemporary(error),
      },
      mutations: { retry: false },
    },
  });
}

function isTemporary(error: unknown): boolean {
  return error instanceof ApiError && (error.isOffline || error.status === 503);
}
