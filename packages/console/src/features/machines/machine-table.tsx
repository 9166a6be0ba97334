import type { Machine } from '@svc/contract/machines';
import { Button } from '../../kit/button.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { type State, StateBadge } from '../../kit/state-badge.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';

const states: Record<Machine['status'], { state: State; text: string }> = {
  online: { state: 'success', text: 'Online' },
  offline: { state: 'idle', text: 'Offline' },
  revoked: { state: 'idle', text: 'Revoked' },
};
const order = ['online', 'offline', 'revoked'];

interface MachineTableProps {
  machines: readonly Machine[];
  onRevoke?: (machine: Machine) => void;
}

export function MachineTable({ machines, onRevoke }: MachineTableProps) {
  const sorted = machines.toSorted(
    (one, other) =>
      order.indexOf(one.status) - order.indexOf(other.status) || one.name.localeCompare(other.name),
  );
  const columns: Column<Machine>[] = [
    { id: 'name', title: 'Name', cell: nameCell },
    { id: 'status', title: 'State', cell: ({ status }) => <StateBadge {...states[status]} /> },
    { id: 'roots', title: 'Shared folders', isSecondary: true, cell: rootsCell },
    { id: 'platform', title: 'System', isSecondary: true, cell: systemCell },
    { id: 'seen', title: 'Last seen', isSecondary: true, className: 'whitespace-nowrap', cell: seenCell },
    ...(onRevoke ? [{ id: 'actions', title: 'Actions', cell: revokeCell }] : []),
  ];
  return (
    <DataTable label="Machines" columns={columns} rows={sorted} keyOf={({ id }) => id} isLinked={false} />
  );

  function revokeCell(machine: Machine) {
    if (machine.status === 'revoked') return null;
    return (
      <Button
        size="small"
        look="quiet"
        onPress={() => onRevoke?.(machine)}
        aria-label={`Revoke ${machine.name}`}
      >
        Revoke
      </Button>
    );
  }
}

/** Narrow screens have no room for columns of their own. */
function nameCell(machine: Machine) {
  return (
    <div className="flex min-w-0 flex-col">
      <span className="font-medium [overflow-wrap:anywhere]">{machine.name}</span>
      <div className="text-ink-2 md:hidden">{machine.platform && rootsCell(machine)}</div>
    </div>
  );
}

function rootsCell({ roots, platform }: Machine) {
  if (roots.length === 0)
    return <span className="text-ink-3">{platform ? 'none' : 'not connected yet'}</span>;
  return (
    <ul className="font-mono text-sm">
      {roots.map((root) => (
        <li key={root} className="break-all">
          {root}
        </li>
      ))}
    </ul>
  );
}

function systemCell({ platform, version, sandbox }: Machine) {
  if (!platform) return <span className="text-ink-3">–</span>;
  return (
    <span className="flex flex-col">
      <span>
        {platform} <span className="text-ink-3">daemon {version}</span>
      </span>
      {sandbox === 'none' && <StateBadge state="warning" text="commands are not in a sandbox" />}
    </span>
  );
}

function seenCell({ status, last_seen_at: seen }: Machine) {
  if (status === 'online') return 'now';
  return seen ? <TimeAgo at={seen} /> : <span className="text-ink-3">never</span>;
}
