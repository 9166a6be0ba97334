import type { ReactNode } from 'react';
import { classes } from '../../kit/classes.ts';

/** A list beside what is selected in it; on narrow screens one of them. */
export function SplitView({
  list,
  children,
  narrow,
}: {
  list: ReactNode;
  children: ReactNode;
  /** What narrow screens show. */
  narrow: 'list' | 'selected';
}) {
  return (
    <div className="flex h-full min-h-0">
      <div
        className={classes(
          'min-h-0 overflow-y-auto border-line lg:w-80 lg:shrink-0 lg:border-r xl:w-96',
          narrow === 'list' ? 'max-lg:flex-1' : 'max-lg:hidden',
        )}
      >
        {list}
      </div>
      <div
        className={classes(
          'min-h-0 min-w-0 flex-1 overflow-y-auto px-4 pt-3 md:px-6',
          narrow === 'list' && 'max-lg:hidden',
        )}
      >
        {children}
      </div>
    </div>
  );
}
