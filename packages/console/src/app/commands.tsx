import { lazy, Suspense, useEffect, useState } from 'react';
import { navigation } from './navigation.tsx';
import { useShortcuts, watchPrefix } from './shortcuts/use-shortcuts.ts';
import { useWaitingCount } from './waiting-count.ts';
import { useGo } from './workspace.tsx';

const Palette = lazy(async () => ({ default: (await import('./palette/palette.tsx')).Palette }));
const ShortcutsDialog = lazy(async () => ({
  default: (await import('./shortcuts/shortcuts-dialog.tsx')).ShortcutsDialog,
}));

type Open = 'palette' | 'shortcuts' | undefined;

/** What works on every page: the palette, the keys, the number on the icon of the installed app. */
export function Commands() {
  const [open, setOpen] = useState<Open>();
  const go = useGo();
  useAppBadge();
  useEffect(watchPrefix, []);
  useEffect(() => {
    const show = () => setOpen('palette');
    window.addEventListener(openPaletteEvent, show);
    return () => window.removeEventListener(openPaletteEvent, show);
  }, []);
  useShortcuts('Everywhere', [
    {
      keys: '$mod+k',
      label: 'Find and do',
      run: () => setOpen((now) => (now === 'palette' ? undefined : 'palette')),
    },
    { keys: '[Shift]+?', label: 'All keys', run: () => setOpen('shortcuts') },
    ...navigation
      .flatMap(({ entries }) => entries)
      .flatMap(({ key, label, path }) => (key ? [{ keys: `g ${key}`, label, run: () => go(path) }] : [])),
  ]);
  const close = () => setOpen(undefined);
  return (
    <Suspense>
      {open === 'palette' && <Palette onClose={close} onShowShortcuts={() => setOpen('shortcuts')} />}
      {open === 'shortcuts' && <ShortcutsDialog onClose={close} />}
    </Suspense>
  );
}

/** Shows how much waits for a person on the icon of the installed app, where the system can. */
function useAppBadge(): void {
  const count = useWaitingCount();
  useEffect(() => {
    if (!('setAppBadge' in navigator)) return;
    // Refused where the app is not installed; the number is in the page, too.
    navigator.setAppBadge(count).catch(() => undefined);
  }, [count]);
}

const openPaletteEvent = 'svc-open-palette';

/** For buttons; the key is ⌘K. */
export function openPalette(): void {
  window.dispatchEvent(new Event(openPaletteEvent));
}
