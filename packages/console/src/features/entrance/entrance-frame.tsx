import { type ReactNode, useEffect } from 'react';

interface EntranceFrameProps {
  title: string;
  /** One sentence below the title. */
  lead?: ReactNode;
  children: ReactNode;
}

/** The frame of the pages before the sign-in: one column, one task. */
export function EntranceFrame({ title, lead, children }: EntranceFrameProps) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-6 px-4 py-12">
      <header className="flex flex-col gap-1">
        <p className="font-semibold text-accent-ink text-lg">svc</p>
        <h1 className="font-semibold text-2xl">{title}</h1>
        {lead && <p className="text-ink-2">{lead}</p>}
      </header>
      {children}
    </main>
  );
}
