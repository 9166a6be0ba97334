import { PageLink } from '../../../app/workspace.tsx';
import { classes } from '../../../kit/classes.ts';
import type { FilterSearch } from './filters.ts';

/** Filters that are needed again and again, by name. */
const views: { name: string; search: FilterSearch }[] = [
  { name: 'All', search: {} },
  { name: 'Mine', search: { assignee: 'me', inbox: 'open' } },
  { name: 'Waiting', search: { handoff: '1', inbox: 'open' } },
  { name: 'Unassigned', search: { handoff: '1', inbox: 'open', assignee: 'none' } },
  { name: 'Failed', search: { status: 'failed' } },
];

export function Views({ search }: { search: FilterSearch }) {
  const current = identityOf(search);
  return (
    <nav aria-label="Views" className="flex gap-1 overflow-x-auto border-line border-b bg-surface px-2">
      {views.map((view) => {
        const isCurrent = identityOf(view.search) === current;
        return (
          <PageLink
            key={view.name}
            path="/conversations"
            search={view.search}
            aria-current={isCurrent ? 'page' : undefined}
            className={classes(
              'whitespace-nowrap border-b-2 px-2 py-2 text-sm -outline-offset-2 pointer-coarse:py-3',
              isCurrent
                ? 'border-accent font-medium text-accent-ink'
                : 'border-transparent text-ink-2 hover:text-ink',
            )}
          >
            {view.name}
          </PageLink>
        );
      })}
    </nav>
  );
}

function identityOf(search: FilterSearch): string {
  return JSON.stringify(Object.entries(search).toSorted(([one], [other]) => one.localeCompare(other)));
}
