import type { Machine, PairedMachine } from '@svc/contract/machines';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Laptop, Plus } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { keys } from '../../api/client.ts';
import { changeMachine, machinesQuery, pairMachine, revokeMachine } from '../../api/machines.ts';
import { membersQuery } from '../../api/members.ts';
import { useFieldErrors } from '../../app/use-submit.ts';
import { useRead, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { plural } from '../../format/numbers.ts';
import { announce } from '../../kit/announce.ts';
import { Button, CodeBlock } from '../../kit/buttons.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { ConfirmDialog, Dialog, FormDialog } from '../../kit/dialogs.tsx';
import { Checkbox, TextField } from '../../kit/fields.tsx';
import { type State, StateBadge, TimeAgo } from '../../kit/labels.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, InlineError, LoadError, RowsLoading } from '../../kit/placeholders.tsx';

export function MachinesPage() {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const [search, change] = useSearchState();
  const [revoking, setRevoking] = useState<Machine>();
  const [sharing, setSharing] = useState<Machine>();
  const machines = useRead(machinesQuery);
  const isPairing = search['pair'] === '1' && can('operator');
  const pairButton = can('operator') && (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => change({ pair: 1 })}>
      Pair a machine
    </Button>
  );

  return (
    <Page title="Machines" actions={machines.data?.length ? pairButton : undefined}>
      {machines.isPending && <RowsLoading rows={4} />}
      {machines.isError && <LoadError query={machines} className="p-4" />}
      {machines.data?.length === 0 && (
        <EmptyState icon={<Laptop aria-hidden />} title="No machine is paired." action={pairButton}>
          <p>
            A bot with a coding tool works on a paired machine: it reads, edits and runs commands in the
            folders that its owner shares, for example <code className="font-mono">~/shop</code>. A person
            approves whatever makes changes. Only its owner can use it, with the bots that they allow.
          </p>
        </EmptyState>
      )}
      {machines.data && machines.data.length > 0 && (
        <MachineTable machines={machines.data} onRevoke={setRevoking} onShare={setSharing} />
      )}
      {isPairing && <PairDialog machines={machines.data ?? []} onClose={() => change({ pair: undefined })} />}
      {sharing && <UseDialog machine={sharing} onClose={() => setSharing(undefined)} />}
      {revoking && (
        <ConfirmDialog
          title={`Revoke ${revoking.name}?`}
          action="Revoke"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await revokeMachine(api, revoking.id);
            await client.invalidateQueries({ queryKey: keys.lists(api, 'machine') });
          }}
        >
          <p>
            Its connection is closed at once, and what it is doing ends. Bots that work on it can no longer do
            so. To use it, pair it again.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

const states: Record<Machine['status'], { state: State; text: string }> = {
  online: { state: 'success', text: 'Online' },
  offline: { state: 'idle', text: 'Offline' },
  revoked: { state: 'idle', text: 'Revoked' },
};
const order = ['online', 'offline', 'revoked'];

interface MachineTableProps {
  machines: readonly Machine[];
  onRevoke: (machine: Machine) => void;
  /** For machines of their own. */
  onShare: (machine: Machine) => void;
}

function MachineTable({ machines, onRevoke, onShare }: MachineTableProps) {
  const { can, user } = useWorkspace();
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
    ...(can('operator') ? [{ title: 'Actions', cell: actionsCell }] : []),
  ];
  return (
    <DataTable label="Machines" columns={columns} rows={sorted} keyOf={({ id }) => id} isLinked={false} />
  );

  function ownerCell({ owner, allowed_members: people, allowed_bots: bots }: Machine) {
    const name = owner?.id === user.id ? 'you' : (owner?.name ?? 'nobody');
    return (
      <span className="flex flex-col">
        <span>{owner?.type === 'key' ? `the API key ${name}` : name}</span>
        <span className="text-ink-3">
          {people.length > 0 && `${plural(people.length, 'more person', 'more people')}, `}
          {bots.length === 0 ? 'no bot' : plural(bots.length, 'bot')}
        </span>
      </span>
    );
  }

  function actionsCell(machine: Machine) {
    if (machine.status === 'revoked') return null;
    return (
      <span className="flex flex-wrap gap-1">
        {machine.owner?.id === user.id && (
          <Button
            size="small"
            look="quiet"
            onPress={() => onShare(machine)}
            aria-label={`Who may use ${machine.name}`}
          >
            Who may use it
          </Button>
        )}
        <Button
          size="small"
          look="quiet"
          onPress={() => onRevoke(machine)}
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

/** A name, then the command with the token, which is shown once; then a greeting as soon as the daemon connects. */
function PairDialog({ machines, onClose }: { machines: readonly Machine[]; onClose: () => void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const pairing = useMutation({
    mutationFn: () => pairMachine(api, name.trim()),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.lists(api, 'machine') }),
  });
  const { data: paired } = pairing;
  const { at, error } = useFieldErrors(pairing.error, { name });
  const isTaken = machines.some((one) => one.name === name.trim() && one.status !== 'revoked');

  if (paired)
    return (
      <Dialog
        title={`Connect ${paired.name}`}
        isAlert
        onClose={onClose}
        actions={
          <Button look="primary" onPress={onClose}>
            Done
          </Button>
        }
      >
        <Connecting paired={paired} />
      </Dialog>
    );

  return (
    <FormDialog
      title="Pair a machine"
      action="Show the command"
      isBusy={pairing.isPending}
      isDisabled={name.trim() === ''}
      error={error}
      onSubmit={() => pairing.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoFocus
        placeholder="ada-laptop"
        value={name}
        onChange={setName}
        error={at('name')}
        maxLength={200}
        description={
          isTaken
            ? 'Another machine has this name already. You can use it twice, but people could mix them up.'
            : 'What people call the machine: it is shown whenever a bot wants to change something on it.'
        }
      />
    </FormDialog>
  );
}

/** Until the socket says so, the list is read again every two seconds. */
const pollMilliseconds = 2_000;

function Connecting({ paired }: { paired: PairedMachine }) {
  const { api } = useWorkspace();
  const { data } = useQuery({ ...machinesQuery(api), refetchInterval: pollMilliseconds });
  const machine = data?.find(({ id }) => id === paired.id);
  const isOnline = machine?.status === 'online';
  useEffect(() => {
    if (isOnline) announce(`Hello, ${paired.name}`);
  }, [isOnline, paired.name]);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">
        Run this on the machine. Replace the folder with the one that bots may work in; more than one is
        possible.
      </p>
      <CodeBlock label="The command" text={pairingCommand(location.origin, paired.token)} />
      <p className="text-ink-2 text-sm">
        The token is shown only now and works for this machine alone. The command line is visible to others
        who use the machine, so the token is set as a variable.
      </p>
      <div className="flex min-h-16 items-center" role="status">
        {isOnline ? (
          <div className="flex items-center gap-3 text-success-ink">
            <CircleCheck aria-hidden className="size-6 shrink-0" />
            <div>
              <p className="font-semibold text-lg">Hello, {paired.name}</p>
              <p className="text-ink-2 text-sm">
                It shares {machine.roots.length === 0 ? 'no folder' : machine.roots.join(', ')}. Until you
                allow more in the list (“Who may use it”), only you can use it, and no bot works on it.
              </p>
            </div>
          </div>
        ) : (
          <StateBadge state="running" text={`Waiting for ${paired.name} to connect…`} />
        )}
      </div>
    </div>
  );
}

/** What a person types on the machine. */
function pairingCommand(serviceUrl: string, token: string): string {
  return [`export SVC_MACHINE_KEY=${token}`, `svc-machine connect --url ${serviceUrl} --root ~/project`].join(
    '\n',
  );
}

/** The owner of a machine says who may use it. */
function UseDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const { api, user } = useWorkspace();
  const client = useQueryClient();
  const [members, setMembers] = useState<readonly string[]>(machine.allowed_members);
  const [bots, setBots] = useState<readonly string[]>(machine.allowed_bots);
  const people = useRead(membersQuery);
  const known = useRead(botsQuery);
  const others = people.data?.filter(({ id }) => id !== user.id);
  const saving = useMutation({
    mutationFn: () =>
      changeMachine(api, machine.id, {
        // Without those who are gone: the boxes do not show them.
        allowed_members: members.filter((id) => others?.some((one) => one.id === id)),
        allowed_bots: bots.filter((id) => known.data?.some((one) => one.id === id)),
      }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: keys.lists(api, 'machine') });
      announce(`Saved who may use ${machine.name}`);
      onClose();
    },
  });
  const loading = people.error ?? known.error;
  return (
    <FormDialog
      title={`Who may use ${machine.name}`}
      action="Save"
      isBusy={saving.isPending}
      isDisabled={!others || !known.data}
      error={saving.error}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <p className="text-ink-2">
        A bot works on this machine only if you allow the bot here, and only for you and the people you allow.
        Both are checked each time.
      </p>
      {loading && <InlineError error={loading} />}
      {!loading && (!others || !known.data) && <RowsLoading rows={3} />}
      {others && known.data && (
        <>
          <Choices legend="People besides you" nothing="Nobody else is in this workspace.">
            {others.map(({ id, name, email }) => (
              <Choice key={id} id={id} chosen={members} onChange={setMembers}>
                {name} <span className="text-ink-3">{email}</span>
              </Choice>
            ))}
          </Choices>
          <Choices legend="Bots" nothing="There is no bot yet.">
            {known.data.map(({ id, name }) => (
              <Choice key={id} id={id} chosen={bots} onChange={setBots}>
                {name}
              </Choice>
            ))}
          </Choices>
        </>
      )}
    </FormDialog>
  );
}

function Choices({ legend, nothing, children }: { legend: string; nothing: string; children: ReactNode[] }) {
  return (
    <fieldset className="mt-4">
      <legend className="mb-1 font-medium">{legend}</legend>
      <div className="flex max-h-56 flex-col gap-1 overflow-y-auto p-1">
        {children.length > 0 ? children : <p className="text-ink-3">{nothing}</p>}
      </div>
    </fieldset>
  );
}

interface ChoiceProps {
  id: string;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  children: ReactNode;
}

function Choice({ id, chosen, onChange, children }: ChoiceProps) {
  return (
    <Checkbox
      isSelected={chosen.includes(id)}
      onChange={(isChosen) => onChange(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id))}
    >
      {children}
    </Checkbox>
  );
}
