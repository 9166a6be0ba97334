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

/** The outline of a form. */
export function FormLoading({ fields = 5 }: { fields?: number }) {
  return (
    <Loading>
      <div className="flex max-w-[720px] flex-col gap-5 px-4 py-5 md:px-6">
        {Array.from({ length: fields }, (_, field) => (
          <div key={field} className="flex flex-col gap-1.5">
            <Bar className="w-24" />
            <Bar className="h-8 pointer-coarse:h-11" />
          </div>
        ))}
      </div>
    </Loading>
  );
}

/** The outline of a few numbers with a chart below. */
export function ReportLoading() {
  return (
    <Loading>
      <div className="flex flex-col gap-6 px-4 py-5 md:px-6">
        <div className="flex flex-wrap gap-8">
          {Array.from({ length: 4 }, (_, number) => (
            <div key={number} className="flex w-32 flex-col gap-2">
              <Bar className="w-20" />
              <Bar className="h-7" />
            </div>
          ))}
        </div>
        <Bar className="h-56" />
      </div>
    </Loading>
  );
}
