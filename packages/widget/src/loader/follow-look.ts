import type { WidgetLook } from '@svc/contract/widget-visitor';
import type { Problem } from '../protocol.ts';

interface LookRequest {
  service: string;
  /** The address of the panel's script. */
  panel: string;
  key: string;
  language: string;
}

type OnLook = (look: WidgetLook | undefined, problem: Problem | undefined) => void;

const refreshMilliseconds = 45_000;
const checkMilliseconds = 5_000;

/** Requests the look, and again while the page is visible, so that changes appear within a minute. */
export function followLook({ service, panel, key, language }: LookRequest, onLook: OnLook): void {
  const address = `${service}/api/widget/look?${new URLSearchParams({ key, language })}`;
  let shown = '';
  let refreshAt = 0;

  async function request(cache: RequestCache): Promise<void> {
    refreshAt = Date.now() + refreshMilliseconds;
    const [look, problem] = await fetchLook(cache);
    // Each refused request is an error in the page's console.
    if (problem === 'blocked') refreshAt += 9 * refreshMilliseconds;
    const result = JSON.stringify([look, problem]);
    if (result === shown) return;
    // A look that is shown stays while the service cannot be reached.
    if (problem === 'outage' && shown) return;
    shown = result;
    onLook(look, problem);
  }

  async function fetchLook(
    cache: RequestCache,
    isRepeat?: boolean,
  ): Promise<[WidgetLook | undefined, Problem | undefined]> {
    try {
      const response = await fetch(address, { cache });
      if (response.ok) return [(await response.json()) as WidgetLook, undefined];
      return [undefined, response.status >= 500 || response.status === 429 ? 'outage' : 'blocked'];
    } catch {
      if (!(await isWorking())) return [undefined, 'outage'];
      // The network may have failed for a moment only.
      return isRepeat ? [undefined, 'blocked'] : fetchLook(cache, true);
    }
  }

  /** A refused page may not read the answer, but every page may read the files of a service that works. */
  async function isWorking(): Promise<boolean> {
    try {
      return (await fetch(panel, { cache: 'no-store', method: 'HEAD' })).ok;
    } catch {
      return false;
    }
  }

  const refresh = () => {
    if (!document.hidden && Date.now() >= refreshAt) void request('no-cache');
  };
  setInterval(refresh, checkMilliseconds);
  document.addEventListener('visibilitychange', refresh);
  void request('default');
}
