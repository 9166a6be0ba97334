import { PageLink } from '../../app/workspace.tsx';
import { count, money } from '../../format/numbers.ts';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import type { UsageBy, UsageGroup } from './usage-data.ts';

interface UsageTableProps {
  by: UsageBy;
  groups: readonly UsageGroup[];
  total: UsageGroup;
  nameOf: (id: string | null) => string;
}

const titles = { bot: 'Bot', model: 'Model', channel: 'Channel' };

export function UsageTable({ by, groups, total, nameOf }: UsageTableProps) {
  const columns: Column<UsageGroup>[] = [
    { title: titles[by], cell: nameCell, className: 'max-w-0 w-full' },
    { title: 'Turns', isNumber: true, isSecondary: true, cell: ({ turns }) => count(turns) },
    {
      title: 'Tokens in',
      isNumber: true,
      isSecondary: true,
      className: 'whitespace-nowrap',
      cell: ({ inputTokens }) => count(inputTokens),
    },
    {
      title: 'Tokens out',
      isNumber: true,
      isSecondary: true,
      className: 'whitespace-nowrap',
      cell: ({ outputTokens }) => count(outputTokens),
    },
    { title: 'Cost', isNumber: true, cell: costOf, className: 'whitespace-nowrap' },
    { title: 'Share', isNumber: true, cell: shareOf },
  ];
  return (
    <DataTable
      label={`Usage by ${by}`}
      columns={columns}
      rows={groups}
      keyOf={({ id }) => id ?? 'none'}
      isLinked={by !== 'model'}
    />
  );

  function nameCell({ id }: UsageGroup) {
    const name = nameOf(id);
    if (id === null || by === 'model') return <span className="block truncate">{name}</span>;
    return (
      <PageLink
        path="/conversations"
        search={{ [by]: id }}
        title={name}
        className="block truncate text-accent-ink hover:underline"
      >
        {name}
      </PageLink>
    );
  }

  function costOf({ cost, isUnpriced }: UsageGroup) {
    if (!isUnpriced) return money(String(cost));
    return (
      <span className="text-warning-ink" title="The price of a model is unknown: set SVC_MODEL_PRICES.">
        {cost > 0 ? `${money(String(cost))} + unknown` : 'price unknown'}
      </span>
    );
  }

  function shareOf({ cost }: UsageGroup): string {
    return total.cost === 0 ? '–' : `${Math.round((cost / total.cost) * 100)} %`;
  }
}
