import type { ReactNode } from 'react';

/** A part of the form, with room around it. */
export function FormSection({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="flex max-w-[720px] flex-col gap-4 px-4 py-4 md:px-6 md:py-5">
      {title && <h2 className="font-semibold">{title}</h2>}
      {children}
    </section>
  );
}
