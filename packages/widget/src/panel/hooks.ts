import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

// The panel stays as long as the page, so what lasts as long is not removed.

export function useMediaQuery(query: string): boolean {
  const [list] = useState(() => matchMedia(query));
  const [matches, setMatches] = useState(list.matches);
  useLayoutEffect(() => list.addEventListener('change', () => setMatches(list.matches)), []);
  return matches;
}

/** Keeps the panel above the keyboard of a phone, which covers the page without making it smaller. */
export function useVisualViewport(panel: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { visualViewport: viewport } = window;
    if (!viewport) return;
    const update = () => {
      panel.current?.style.setProperty('--top', `${viewport.offsetTop}px`);
      panel.current?.style.setProperty('--height', `${viewport.height}px`);
    };
    update();
    for (const name of ['resize', 'scroll']) viewport.addEventListener(name, update);
  }, []);
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
