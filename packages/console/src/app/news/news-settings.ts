import { createShared } from '../shared-value.ts';

const names = { desktop: 'svc_notifications', sound: 'svc_sound' };
type Kind = keyof typeof names;

const [useSettings, redraw] = createShared(() => (isOn('desktop') ? 1 : 0) + (isOn('sound') ? 2 : 0));

/** What tells the member of a new message in this browser. Nothing does until they turn it on. */
export function useNewsSettings(): Record<Kind, boolean> {
  const settings = useSettings();
  return { desktop: (settings & 1) !== 0, sound: (settings & 2) !== 0 };
}

export function isOn(kind: Kind): boolean {
  if (localStorage.getItem(names[kind]) !== '1') return false;
  // It can be taken back in the browser at any time.
  return kind === 'sound' || (canNotify() && Notification.permission === 'granted');
}

/** Browsers without it, and pages without TLS, have no notifications. */
export function canNotify(): boolean {
  return 'Notification' in window && isSecureContext;
}

/** Asks for permission to show notifications, if there is none yet. Returns whether the setting is as wanted. */
export async function turn(kind: Kind, wanted: boolean): Promise<boolean> {
  const isAllowed =
    !wanted || kind === 'sound' || (canNotify() && (await Notification.requestPermission()) === 'granted');
  if (wanted && isAllowed) localStorage.setItem(names[kind], '1');
  else localStorage.removeItem(names[kind]);
  redraw();
  return isAllowed;
}
