import type { WidgetLook } from '@svc/contract/widget-visitor';
import { isServing } from '../is-serving.ts';
import type { Problem } from '../protocol.ts';

interface LookRequest {
  service: string;
  key: string;
  language: string;
  /** The widget, which the page may have removed. */
  host: Element;
}

type OnLook = (look: WidgetLook | undefined, problem: Problem | undefined) => void;

const refreshMilliseconds = 45_000;
const checkMilliseconds = 5_000;

/** Requests the look, and again while the page is visible, so that changes appear within a minute. */
export function followLook({ service, key, language, host }: LookRequest, onLook: OnLook): void {
  const address = `${service}/api/widget/look?${new URLSearchParams({ key, language })}`;
  let shown = '';
  let refreshAt = 0;

  async function request(cache: RequestCache): Promise<void> {
    // Not the time of day, which visitors can set back.
    refreshAt = performance.now() + refreshMilliseconds;
    const { look, problem } = await fetchLook(cache);
    // Each refused request is an error in the page's console.
    if (problem === 'blocked') refreshAt += 9 * refreshMilliseconds;
    const result = JSON.stringify([look, problem]);
    // A look that is shown stays while the service cannot be reached.
    if (result === shown || (problem === 'outage' && shown)) return;
    shown = result;
    onLook(look, problem);
  }

  async function fetchLook(
    cache: RequestCache,
    isRepeat?: boolean,
  ): Promise<{ look?: WidgetLook; problem?: Problem }> {
    let isBlocked: boolean;
    try {
      const response = await fetch(address, { cache });
      if (response.ok) return { look: (await response.json()) as WidgetLook };
      isBlocked = response.status < 500 && response.status !== 429;
    } catch {
      isBlocked = await isServing(service, fetch);
      // The network may have failed for a moment only.
      if (isBlocked && !isRepeat) return fetchLook(cache, true);
    }
    return { problem: isBlocked ? 'blocked' : 'outage' };
  }

  const refresh = () => {
    if (host.isConnected && !document.hidden && performance.now() >= refreshAt) void request('no-cache');
  };
  setInterval(refresh, checkMilliseconds);
  document.addEventListener('visibilitychange', refresh);
  void request('default');
}
