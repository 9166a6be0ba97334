import { useEffect } from 'react';
import { useWaitingCount } from './waiting-count.ts';

/** Shows how much waits for a person on the icon of the installed app, where the system can. */
export function useAppBadge(): void {
  const count = useWaitingCount();
  useEffect(() => {
    if (!('setAppBadge' in navigator)) return;
    // Refused where the app is not installed; the number is in the page, too.
    navigator.setAppBadge(count).catch(() => undefined);
  }, [count]);
}
