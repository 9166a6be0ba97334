import type { ReactNode } from 'react';

interface SectionProps {
  title: string;
  /** Beside the title: how many, since when. */
  note?: ReactNode;
  children: ReactNode;
}

/** A part of the overview, divided from the others by lines. */
export function Section({ title, note, children }: SectionProps) {
  return (
    <section className="border-line border-b">
      <h2 className="flex items-baseline gap-2 px-4 pt-4 pb-2 font-semibold md:px-6">
        {title}
        {note && <span className="font-normal text-ink-3 text-sm tabular-nums">{note}</span>}
      </h2>
      {children}
    </section>
  );
}
