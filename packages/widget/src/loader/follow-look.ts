import type { WidgetLook } from '@svc/contract/widget-visitor';
import type { Problem } from '../protocol.ts';

interface LookRequest {
  service: string;
  key: string;
  language: string;
}

type OnLook = (look: WidgetLook | undefined, problem: Problem | undefined) => void;

const refreshMilliseconds = 45_000;

/** Requests the look, and again while the page is visible, so that changes appear within a minute. */
export function followLook({ service, key, language }: LookRequest, onLook: OnLook): void {
  const address = `${service}/api/widget/look?${new URLSearchParams({ key, language })}`;
  let shown = '';
  let requestedAt = 0;

  async function request(cache: RequestCache): Promise<void> {
    requestedAt = Date.now();
    const [look, problem] = await fetchLook(address, cache);
    const result = JSON.stringify([look, problem]);
    if (result === shown) return;
    // A look that is shown stays while the service cannot be reached.
    if (problem === 'outage' && shown) return;
    shown = result;
    onLook(look, problem);
  }

  const refresh = () => {
    if (!document.hidden && Date.now() - requestedAt >= refreshMilliseconds) void request('no-cache');
  };
  setInterval(refresh, refreshMilliseconds / 9);
  document.addEventListener('visibilitychange', refresh);
  void request('default');
}

async function fetchLook(
  address: string,
  cache: RequestCache,
): Promise<[WidgetLook | undefined, Problem | undefined]> {
  try {
    const response = await fetch(address, { cache, credentials: 'omit' });
    if (response.ok) return [(await response.json()) as WidgetLook, undefined];
    return [undefined, response.status >= 500 || response.status === 429 ? 'outage' : 'blocked'];
  } catch {
    return [undefined, await explainFailure(address)];
  }
}

/** A refused page may not read the answer, but it can see that there is one. */
async function explainFailure(address: string): Promise<Problem> {
  try {
    await fetch(address, { mode: 'no-cors', cache: 'no-store', credentials: 'omit' });
    return 'blocked';
  } catch {
    return 'outage';
  }
}
