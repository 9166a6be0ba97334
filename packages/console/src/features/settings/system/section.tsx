import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  beside?: ReactNode;
  children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, beside, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col pt-5">
      <div className="flex flex-wrap items-baseline gap-x-3 px-4 pb-2 md:px-6">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {beside}
      </div>
      {children}
    </section>
  );
}
