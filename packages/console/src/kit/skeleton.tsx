import { type ReactNode, useEffect, useState } from 'react';
import { classes } from './classes.ts';

/** One bar in place of a text that is being loaded. */
export function Bar({ className }: { className?: string }) {
  return <span aria-hidden className={classes('block h-4 animate-pulse rounded-sm bg-sunken', className)} />;
}

/** Shows the outline of what is being loaded, unless it arrives almost immediately. */
export function Loading({ children, label = 'Loading' }: { children: ReactNode; label?: string }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true" className={isSlow ? 'contents' : 'invisible'}>
      <span className="sr-only" role="status">
        {label}
      </span>
      {children}
    </div>
  );
}

/** The outline of a table. */
export function RowsLoading({ rows = 8 }: { rows?: number }) {
  return (
    <Loading>
      <div className="flex flex-col">
        {Array.from({ length: rows }, (_, row) => (
          <div
            key={row}
            className="flex h-9 items-center gap-6 border-line border-b px-4 pointer-coarse:h-11"
          >
            <Bar className="w-1/4" />
            <Bar className="w-1/6" />
            <Bar className="w-1/3 max-md:hidden" />
            <Bar className="ml-auto w-16" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
