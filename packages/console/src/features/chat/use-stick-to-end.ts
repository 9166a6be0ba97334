import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';

interface StickToEnd {
  /** The element that scrolls. */
  scroll: RefObject<HTMLDivElement | null>;
  /** All messages, inside of it. */
  content: RefObject<HTMLDivElement | null>;
  /** Empty, after the content: makes room so that the last question can be at the top. */
  room: RefObject<HTMLDivElement | null>;
  /** Something arrived below what the reader sees. */
  hasNew: boolean;
  goToEnd: () => void;
}

interface Places {
  anchorId: string | undefined;
  startId: string | undefined;
  sentId: string | undefined;
}

/** How far from the end still counts as the end, in pixels. */
const tolerance = 48;
const topMargin = 16;

/**
 * Keeps the end of a chat in view while the reader is there, and moves it otherwise only for what the reader does. `anchorId`, the id of the
 * message that was just sent, is moved to the top once. `startId` is where reading begins instead of at the end, also
 * when it changes. `sentId`, the id of what the reader has sent, is scrolled to as soon as it is there.
 */
export function useStickToEnd({ anchorId, startId, sentId }: Places): StickToEnd {
  const scroll = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const room = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(startId === undefined);
  /** Where we last scrolled to the end. */
  const scrolledTo = useRef(0);
  const end = useRef<End>(undefined);
  const [hasNew, setNew] = useState(false);

  const goToEnd = useCallback(() => {
    isAtEnd.current = true;
    setNew(false);
    if (scroll.current) scrolledTo.current = scrollToEnd(scroll.current);
  }, []);

  useLayoutEffect(() => {
    const box = scroll.current;
    const inner = content.current;
    if (!box || !inner) return undefined;
    function fit(): void {
      if (!box || !inner) return;
      if (room.current) room.current.style.height = `${roomFor(box, inner, anchorId)}px`;
      const isNew = hasGrown(end.current, inner.lastElementChild);
      if (isAtEnd.current) scrolledTo.current = scrollToEnd(box);
      else if (isNew) setNew(true);
      if (isAtEnd.current || isNew || !end.current) end.current = endOf(inner);
    }
    function look(): void {
      if (!box) return;
      // Only a reader who goes up leaves the end; what grew since we went there is followed.
      if (isAtEnd.current && box.scrollTop >= scrolledTo.current) return;
      isAtEnd.current = isNearEnd(box);
      if (isAtEnd.current) setNew(false);
    }
    if (anchorId !== undefined) isAtEnd.current = true;
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(inner);
    observer.observe(box);
    box.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', look);
    };
  }, [anchorId]);

  useLayoutEffect(() => {
    const box = scroll.current;
    const inner = content.current;
    if (!box || !inner) return;
    const start = startId === undefined ? null : find(inner, startId);
    if (start && !isInView(start, box)) start.scrollIntoView({ block: 'center' });
    isAtEnd.current = startId === undefined && isNearEnd(box);
    // What is there now was not added below what the reader sees.
    end.current = endOf(inner);
    setNew(false);
  }, [startId]);

  const foundId = useRef<string>(undefined);
  // It may be there before its id is known, or after.
  useLayoutEffect(() => {
    if (sentId === undefined || foundId.current === sentId) return;
    const sent = find(content.current, sentId);
    if (!sent) return;
    foundId.current = sentId;
    goToEnd();
    // More may have arrived after it.
    sent.scrollIntoView({ block: 'nearest' });
  });

  return { scroll, content, room, hasNew, goToEnd };
}

function isNearEnd(box: HTMLElement): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight < tolerance;
}

function isInView(element: HTMLElement, box: HTMLElement): boolean {
  const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
}

function scrollToEnd(box: HTMLElement): number {
  box.scrollTop = box.scrollHeight;
  return box.scrollTop;
}

/** The last thing in the log, as the reader last knew it. */
interface End {
  element: Element | null;
  height: number;
}

function endOf(inner: HTMLElement): End {
  const element = inner.lastElementChild;
  return { element, height: element?.clientHeight ?? 0 };
}

/** Whether something came after it, or it is being written. Its height alone says nothing: it is known only once it was in view. */
function hasGrown(before: End | undefined, element: Element | null): boolean {
  if (!before || !element) return false;
  if (element !== before.element) return true;
  return element.ariaBusy === 'true' && element.clientHeight > before.height + tolerance;
}

function roomFor(box: HTMLElement, inner: HTMLElement, anchorId: string | undefined): number {
  const anchor = anchorId === undefined ? null : find(inner, anchorId);
  if (!anchor) return 0;
  const below = inner.getBoundingClientRect().bottom - anchor.getBoundingClientRect().top;
  return Math.max(0, box.clientHeight - below - topMargin);
}

function find(inside: HTMLElement | null, messageId: string): HTMLElement | null {
  return inside?.querySelector<HTMLElement>(`[data-message="${CSS.escape(messageId)}"]`) ?? null;
}
