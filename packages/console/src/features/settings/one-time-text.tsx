import type { ReactNode } from 'react';
import { CopyButton } from '../../kit/buttons.tsx';

interface OneTimeTextProps {
  label: string;
  text: string;
  /** What it is good for, and for how long. */
  children: ReactNode;
}

/** A link or a key that is shown only now. */
export function OneTimeText({ label, text, children }: OneTimeTextProps) {
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
        <output aria-label={label} className="min-w-0 flex-1 break-all font-mono text-sm">
          {text}
        </output>
        <CopyButton text={text} label={`Copy the ${label.toLowerCase()}`} />
      </div>
      <p className="text-ink-2 text-sm">{children}</p>
    </div>
  );
}
