import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon?: ReactNode;
  /** One sentence: what would be here. */
  title: string;
  /** What it is good for, with an example. */
  children?: ReactNode;
  /** The one button that changes it. */
  action?: ReactNode;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-16 text-center [&>svg]:size-6 [&>svg]:text-ink-3">
      {icon}
      <p className="font-medium text-lg">{title}</p>
      {children && <div className="max-w-prose text-ink-2">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
