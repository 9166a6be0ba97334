import { Link } from '@tanstack/react-router';
import { classes } from './classes.ts';

export interface PageTab {
  id: string;
  label: string;
  /** How many things it contains. */
  count?: number | undefined;
  to: string;
  params?: Record<string, string>;
  search?: Record<string, string | undefined>;
}

/** Tabs that are pages of their own: links, so that each has an address. */
export function PageTabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly PageTab[];
  current: string;
}) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto px-3 md:px-5">
      {tabs.map((tab) => (
        <Link
          key={tab.id}
          to={tab.to as never}
          {...(tab.params && { params: tab.params as never })}
          {...(tab.search && { search: tab.search as never })}
          {...(tab.id === current && { ref: showTab })}
          aria-current={tab.id === current ? 'page' : undefined}
          className={classes(
            'flex h-9 shrink-0 items-center gap-1.5 border-b-2 px-2 text-sm pointer-coarse:h-11',
            tab.id === current
              ? 'border-accent font-medium text-ink'
              : 'border-transparent text-ink-2 hover:text-ink',
          )}
        >
          {tab.label}
          {tab.count !== undefined && <span className="text-ink-3">{tab.count}</span>}
        </Link>
      ))}
    </nav>
  );
}

/** On a narrow screen the tabs scroll. */
function showTab(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
