import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { PageLink, type Search } from '../../app/workspace.tsx';
import { type State, StateIcon } from '../../kit/state-badge.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { NameText } from '../../kit/visible-text.tsx';

interface RowPartsProps {
  state: State;
  /** What the icon means, for screen readers. */
  stateText: string;
  title: string;
  /** Whose it is. */
  owner?: string | null;
  detail?: ReactNode;
  at: string;
}

interface ItemRowProps extends RowPartsProps {
  path: string;
  search?: Search;
}

/** The look of a line that can be pressed. */
export const itemRow =
  'flex min-h-9 items-center gap-3 px-4 py-1.5 -outline-offset-2 hover:bg-hover md:px-6 pointer-coarse:min-h-11';

/** One line of the overview, which leads to the thing itself. */
export function ItemRow({ path, search = {}, ...parts }: ItemRowProps) {
  return (
    <li className="border-line border-t first:border-t-0">
      <PageLink path={path} search={search} className={itemRow}>
        <RowParts {...parts} />
        <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-3" />
      </PageLink>
    </li>
  );
}

export function RowParts({ state, stateText, title, owner, detail, at }: RowPartsProps) {
  return (
    <>
      <StateIcon state={state} />
      <span className="sr-only">{stateText}:</span>
      <span className="flex min-w-0 flex-1 flex-wrap gap-x-3">
        <span dir="auto" className="max-w-full truncate font-medium">
          <NameText text={title} />
        </span>
        {owner && (
          <span className="max-w-full truncate text-ink-2">
            <NameText text={owner} />
          </span>
        )}
        {detail && (
          <span dir="auto" className="max-w-full truncate text-ink-3">
            {detail}
          </span>
        )}
      </span>
      <TimeAgo at={at} className="shrink-0 text-ink-3 text-sm tabular-nums" />
    </>
  );
}
