import type { Machine } from '@svc/contract/machines';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Laptop, Plus } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/client.ts';
import { machinesQuery, revokeMachine } from '../../api/machines.ts';
import { useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { ConfirmDialog } from '../../kit/dialogs.tsx';
import { Page } from '../../kit/page.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { MachineTable } from './machine-table.tsx';
import { PairDialog } from './pair-dialog.tsx';
import { UseDialog } from './use-dialog.tsx';

export function MachinesPage() {
  const { api, can, user } = useWorkspace();
  const client = useQueryClient();
  const [search, change] = useSearchState();
  const [revoking, setRevoking] = useState<Machine>();
  const [sharing, setSharing] = useState<Machine>();
  const machines = useQuery(machinesQuery(api));
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
        <MachineTable
          machines={machines.data}
          userId={user.id}
          {...(can('operator') && { onRevoke: setRevoking, onShare: setSharing })}
        />
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
