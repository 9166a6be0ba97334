import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { View } from './view.ts';

/** About a line: a reader this near to the end counts as being there. */
const tolerance = 24;
const margin = 12;

interface Following {
  log: RefObject<HTMLDivElement | null>;
  /** The end of the conversation is out of sight. */
  isAway: boolean;
  /** Messages arrived there. */
  hasNews: boolean;
  goToEnd(): void;
}

/**
 * Keeps the newest message in sight while the reader is at the end, and never moves what a reader has scrolled to. A long answer is
 * followed until its question is at the top, so that it can be read from its beginning while it is still being written.
 */
export function useFollowing({ state, isOpen }: View): Following {
  const log = useRef<HTMLDivElement>(null);
  const follows = useRef<'start' | 'end' | undefined>('start');
  const [isAway, setAway] = useState(false);
  const [hasNews, setNews] = useState(false);
  const last = state.messages.at(-1);

  const look = (element: HTMLElement) => {
    const { scrollTop } = element;
    const { start, end } = targets(element);
    if (scrollTop < start - tolerance) follows.current = undefined;
    else follows.current = scrollTop > start + tolerance && scrollTop >= end - tolerance ? 'end' : 'start';
    setAway(scrollTop < end - 2 * tolerance);
    if (scrollTop >= end - tolerance) setNews(false);
  };

  useLayoutEffect(() => {
    const element = log.current;
    if (!element) return;
    element.addEventListener('scroll', () => look(element));
    // The keyboard of a phone and the lines of the composer change the height.
    new ResizeObserver(() => follow(element, follows.current)).observe(element);
  }, []);

  useLayoutEffect(() => {
    if (last?.state === 'sending') follows.current = 'start';
    else if (last && !follows.current) setNews(true);
  }, [last?.id]);

  useLayoutEffect(() => {
    if (!log.current || !isOpen) return;
    follow(log.current, follows.current);
    look(log.current);
  }, [state, isOpen]);

  const goToEnd = () => {
    follows.current = 'end';
    if (!log.current) return;
    // The button disappears.
    log.current.focus({ preventScroll: true });
    follow(log.current, 'end');
  };
  return { log, isAway, hasNews, goToEnd };
}

function follow(element: HTMLElement, to: 'start' | 'end' | undefined): void {
  const top = to && targets(element)[to];
  if (top !== undefined && element.scrollTop < top) element.scrollTop = top;
}

function targets(element: HTMLElement): { start: number; end: number } {
  const end = element.scrollHeight - element.clientHeight;
  const question = [...element.querySelectorAll<HTMLElement>('.message:not(.bot)')].at(-1);
  return { start: Math.min(end, question ? question.offsetTop - margin : end), end };
}
