import { type RefObject, useLayoutEffect, useState } from 'react';

/** Whether an element is at least this wide. */
export function useIsWide(element: RefObject<HTMLElement | null>, pixels: number): boolean {
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const watched = element.current;
    if (!watched) return;
    const measure = () => setWide(watched.clientWidth >= pixels);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element, pixels]);
  return isWide;
}
