import { type ReactNode, useEffect, useRef } from 'react';
import { useWaitingCount } from '../app/waiting-count.ts';
import { classes } from './classes.ts';
import { NameText } from './labels.tsx';

interface PageProps {
  title: string;
  /** Beside the title: a state, a version. */
  beside?: ReactNode;
  /** The buttons of the page, the primary one last. */
  actions?: ReactNode;
  /** Tabs or filters below the title. */
  below?: ReactNode;
  /** Fills the screen and scrolls inside, instead of scrolling as a whole. */
  isFixed?: boolean;
  /** On narrow screens the page needs all the room, and has a heading and buttons of its own. */
  hasNoBarOnNarrow?: boolean;
  children: ReactNode;
}

/** The frame of every page: sets the title of the window, and moves the focus to its heading. */
export function Page(props: PageProps) {
  const { title, beside, actions, below, isFixed = false, hasNoBarOnNarrow = false, children } = props;
  const page = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const waiting = useWaitingCount();
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) ${title} · svc` : `${title} · svc`;
  }, [title, waiting]);
  useEffect(() => {
    const focused = document.activeElement;
    // A field of the page, or a dialog over it, that took the focus keeps it.
    const isTaken = page.current?.contains(focused) || focused?.closest('[role=dialog], [role=alertdialog]');
    if (!isTaken) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={page} className={isFixed ? 'flex h-full min-h-0 flex-col' : 'flex min-h-full flex-col'}>
      <header
        className={classes(
          'border-line border-b bg-surface',
          hasNoBarOnNarrow && 'max-lg:sr-only max-lg:[&_button]:hidden',
        )}
      >
        <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2 md:px-6">
          <h1
            ref={heading}
            tabIndex={-1}
            dir="auto"
            title={title}
            className="min-w-0 truncate font-semibold text-lg"
          >
            <NameText text={title} />
          </h1>
          {beside}
          {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {below}
      </header>
      <div className={isFixed ? 'min-h-0 flex-1' : 'flex-1'}>{children}</div>
    </div>
  );
}
