import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './buttons.tsx';

interface SidePanelProps {
  title: string;
  beside?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

/** Beside the page on wide screens, over it on narrow ones. */
export function SidePanel({ title, beside, onClose, children }: SidePanelProps) {
  return (
    <section
      aria-label={title}
      className="flex min-h-0 flex-col border-line bg-surface max-lg:fixed max-lg:inset-0 max-lg:z-30 lg:w-[clamp(420px,40vw,640px)] lg:border-l"
    >
      <header className="flex h-12 shrink-0 items-center gap-3 border-line border-b px-4">
        <h2 className="font-semibold">{title}</h2>
        {beside}
        <IconButton label="Close" icon={<X aria-hidden />} hint="Esc" onPress={onClose} className="ml-auto" />
      </header>
      <div className="relative min-h-0 flex-1 overflow-y-auto">{children}</div>
    </section>
  );
}
