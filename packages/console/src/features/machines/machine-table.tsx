import type { Machine } from '@svc/contract/machines';
import { Button } from '../../kit/buttons.tsx';
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
  /** The person who looks at it. */
  userId: string;
  onRevoke?: (machine: Machine) => void;
  /** For machines of their own. */
  onShare?: (machine: Machine) => void;
}

export function MachineTable({ machines, userId, onRevoke, onShare }: MachineTableProps) {
  const sorted = machines.toSorted(
    (one, other) =>
      order.indexOf(one.status) - order.indexOf(other.status) || one.name.localeCompare(other.name),
  );
  const columns: Column<Machine>[] = [
    { title: 'Name', cell: nameCell },
    { title: 'State', cell: ({ status }) => <StateBadge {...states[status]} /> },
    { title: 'Shared folders', isSecondary: true, cell: rootsCell },
    { title: 'Who may use it', isSecondary: true, cell: ownerCell },
    { title: 'Allows at most', isSecondary: true, cell: policyCell },
    { title: 'System', isSecondary: true, cell: systemCell },
    { title: 'Last seen', isSecondary: true, className: 'whitespace-nowrap', cell: seenCell },
    ...(onRevoke ? [{ title: 'Actions', cell: actionsCell }] : []),
  ];
  return (
    <DataTable label="Machines" columns={columns} rows={sorted} keyOf={({ id }) => id} isLinked={false} />
  );

  function ownerCell({ owner, allowed_members: people, allowed_bots: bots }: Machine) {
    const name = owner?.id === userId ? 'you' : (owner?.name ?? 'nobody');
    return (
      <span className="flex flex-col">
        <span>{owner?.type === 'key' ? `the API key ${name}` : name}</span>
        <span className="text-ink-3">
          {people.length > 0 && `${counted(people.length, 'more person', 'more people')}, `}
          {bots.length === 0 ? 'no bot' : counted(bots.length, 'bot', 'bots')}
        </span>
      </span>
    );
  }

  function actionsCell(machine: Machine) {
    if (machine.status === 'revoked') return null;
    return (
      <span className="flex flex-wrap gap-1">
        {machine.owner?.id === userId && (
          <Button
            size="small"
            look="quiet"
            onPress={() => onShare?.(machine)}
            aria-label={`Who may use ${machine.name}`}
          >
            Who may use it
          </Button>
        )}
        <Button
          size="small"
          look="quiet"
          onPress={() => onRevoke?.(machine)}
          aria-label={`Revoke ${machine.name}`}
        >
          Revoke
        </Button>
      </span>
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

const policyTexts = {
  'read-only': 'Reading only',
  ask: 'Asks before changes and commands',
  'allow-listed': 'Asks, except for a list of its owner',
};

function policyCell({ policy, confirmation, platform }: Machine) {
  if (!policy) return <span className="text-ink-3">{platform ? 'not reported' : '–'}</span>;
  return (
    <span className="flex flex-col">
      <span>{policyTexts[policy]}</span>
      {policy !== 'read-only' && (
        <span className="text-ink-3">
          {confirmation === 'terminal' ? 'confirmed at the machine' : 'confirmed by approvals here'}
        </span>
      )}
    </span>
  );
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function systemCell({ platform, version, sandbox, runs_commands: runsCommands, policy }: Machine) {
  if (!platform) return <span className="text-ink-3">–</span>;
  return (
    <span className="flex flex-col">
      <span>
        {platform} <span className="text-ink-3">daemon {version}</span>
      </span>
      {sandbox === 'none' && runsCommands !== false && (
        <StateBadge state="warning" text="commands are not in a sandbox" />
      )}
      {runsCommands === false && policy !== 'read-only' && (
        <StateBadge state="idle" text="commands are refused: no sandbox" />
      )}
    </span>
  );
}

function seenCell({ status, last_seen_at: seen }: Machine) {
  if (status === 'online') return 'now';
  return seen ? <TimeAgo at={seen} /> : <span className="text-ink-3">never</span>;
}
