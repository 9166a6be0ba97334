import type { ApprovalDetail } from '@svc/contract/approvals';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { pendingApprovalsQuery, resolvedApprovalsQuery } from '../../api/approvals.ts';
import { useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { classes } from '../../kit/classes.ts';
import { Select } from '../../kit/fields.tsx';

const every = '';

/** By bot and by tool, of those that occur. */
export function ApprovalFilters({
  isAnswered,
  isHiddenOnPhones,
}: {
  isAnswered: boolean;
  /** One approval takes the whole screen there. */
  isHiddenOnPhones: boolean;
}) {
  const { api } = useWorkspace();
  const [{ bot, tool }, change] = useSearchState();
  const pending = useQuery({ ...pendingApprovalsQuery(api), enabled: !isAnswered });
  const resolved = useInfiniteQuery({ ...resolvedApprovalsQuery(api), enabled: isAnswered });
  const known = isAnswered ? resolved.data?.pages.flatMap(({ items }) => items) : pending.data;
  const bots = distinct(known, (approval) => [approval.bot_id, approval.bot_name ?? approval.bot_id], bot);
  const tools = distinct(known, ({ tool_name: name }) => [name, name], tool);
  if (bots.length < 2 && tools.length < 2 && !bot && !tool) return null;
  return (
    <div className={classes('flex gap-2', isHiddenOnPhones && 'max-lg:hidden')}>
      <Select
        label="Bot"
        hideLabel
        className="w-40 max-sm:w-32"
        value={bot ?? every}
        options={[{ value: every, label: 'All bots' }, ...bots]}
        onChange={(value) => change({ bot: value || undefined })}
      />
      <Select
        label="Tool"
        hideLabel
        className="w-40 max-sm:w-32"
        value={tool ?? every}
        options={[{ value: every, label: 'All tools' }, ...tools]}
        onChange={(value) => change({ tool: value || undefined })}
      />
    </div>
  );
}

/** The values that occur, and the one that is selected even if it does not. */
function distinct(
  approvals: readonly ApprovalDetail[] | undefined,
  of: (approval: ApprovalDetail) => [value: string, label: string],
  selected: string | undefined,
): { value: string; label: string }[] {
  const found = new Map(selected ? [[selected, selected]] : []);
  for (const approval of approvals ?? []) found.set(...of(approval));
  return [...found]
    .map(([value, label]) => ({ value, label }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
}
