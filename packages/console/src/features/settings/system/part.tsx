import type { ReactNode } from 'react';

/** One part of the installation and its state. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 border-line border-b px-4 py-1 text-sm md:px-6">
      <dt className="w-28 shrink-0 text-ink-2">{title}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-3">{children}</dd>
    </div>
  );
}
