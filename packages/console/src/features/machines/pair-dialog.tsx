import { ApiError } from '@svc/client/api-error';
import type { Machine, PairedMachine } from '@svc/contract/machines';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { keys } from '../../api/client.ts';
import { machinesQuery, pairMachine } from '../../api/machines.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { announce } from '../../kit/announce.ts';
import { Button, CodeBlock } from '../../kit/buttons.tsx';
import { Dialog, FormDialog } from '../../kit/dialogs.tsx';
import { TextField } from '../../kit/fields.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';

/** A name, then the command with the token, which is shown once; then a greeting as soon as the daemon connects. */
export function PairDialog({ machines, onClose }: { machines: readonly Machine[]; onClose: () => void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const pairing = useMutation({
    mutationFn: () => pairMachine(api, name.trim()),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.lists(api, 'machine') }),
  });
  const { error, data: paired } = pairing;
  const fieldError = error instanceof ApiError ? error.at('name') : undefined;
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
      error={fieldError ? undefined : error}
      onSubmit={() => pairing.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoFocus
        placeholder="ada-laptop"
        value={name}
        onChange={setName}
        error={fieldError}
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
