import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from './component-hooks.ts';

export function useMediaQuery(query: string): boolean {
  const [list] = useState(() => matchMedia(query));
  const [matches, setMatches] = useState(list.matches);
  useLayoutEffect(() => {
    const update = () => setMatches(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [list]);
  return matches;
}

/** Keeps the panel above the keyboard of a phone, which covers the page without making it smaller. */
export function useVisualViewport(panel: RefObject<HTMLElement | null>, isFullScreen: boolean): void {
  useLayoutEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport || !isFullScreen) return;
    const update = () => {
      panel.current?.style.setProperty('--top', `${viewport.offsetTop}px`);
      panel.current?.style.setProperty('--height', `${viewport.height}px`);
    };
    update();
    for (const name of ['resize', 'scroll']) viewport.addEventListener(name, update);
    return () => {
      for (const name of ['resize', 'scroll']) viewport.removeEventListener(name, update);
    };
  }, [isFullScreen]);
}

/** The current time, once a second while `isRunning`. */
export function useClock(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useLayoutEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
