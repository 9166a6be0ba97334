import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';

interface FoldedProps {
  title: string;
  /** It opens by itself once this is true, and is closed only by hand. */
  isOpen?: boolean;
  children: ReactNode;
}

/** Shown when somebody wants to see it. */
export function Folded({ title, isOpen = false, children }: FoldedProps) {
  const [isShown, setShown] = useState(isOpen);
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen);
    if (isOpen) setShown(true);
  }
  return (
    <details
      className="group"
      open={isShown}
      onToggle={({ currentTarget, target }) => target === currentTarget && setShown(currentTarget.open)}
    >
      <summary className="flex w-fit list-none items-center gap-1 rounded-sm text-ink-2 text-sm hover:text-ink pointer-coarse:min-h-11">
        <ChevronRight aria-hidden className="size-4 transition group-open:rotate-90" />
        {title}
      </summary>
      <div className="flex flex-col gap-2 pt-2 pl-5">{children}</div>
    </details>
  );
}
