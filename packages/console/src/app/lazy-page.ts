import { ApiError } from '@svc/client/api-error';
import { lazyRouteComponent } from '@tanstack/react-router';

/**
 * A page that is loaded when it is first shown. The router loads the whole console again if a file is missing, as after an
 * update of the service; without a connection that would leave nothing but the browser's own error page.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, () => React.ReactNode>>,
  name: Name,
) {
  return lazyRouteComponent(() => load().catch(explain), name);
}

async function explain(error: unknown): Promise<never> {
  if (await isReachable()) throw error;
  throw new ApiError({ status: 0, code: 'OFFLINE', message: 'The service cannot be reached.' });
}

async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store' })).ok;
  } catch {
    // No connection.
    return false;
  }
}
