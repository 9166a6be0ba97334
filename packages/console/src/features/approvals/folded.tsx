import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';

interface FoldedProps {
  title: string;
  onToggle?: (isOpen: boolean) => void;
  children: ReactNode;
}

/** Shown when somebody wants to see it. */
export function Folded({ title, onToggle, children }: FoldedProps) {
  return (
    <details className="group" onToggle={(event) => onToggle?.(event.currentTarget.open)}>
      <summary className="flex w-fit list-none items-center gap-1 rounded-sm text-ink-2 text-sm hover:text-ink pointer-coarse:min-h-11">
        <ChevronRight aria-hidden className="size-4 transition group-open:rotate-90" />
        {title}
      </summary>
      <div className="flex flex-col gap-2 pt-2 pl-5">{children}</div>
    </details>
  );
}
