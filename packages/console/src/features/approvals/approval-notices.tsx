import type { Approval } from '@svc/contract/approvals';
import { useQuery } from '@tanstack/react-query';
import { Laptop } from 'lucide-react';
import { machinesQuery } from '../../api/machines.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';

/** What a person should know before they decide. */
export function ApprovalNotices({ approval: { context } }: { approval: Approval }) {
  const { can } = useWorkspace();
  return (
    <>
      {context.kind === 'command' && <MachineNotice name={context.machine} />}
      {context.kind === 'diff' && (
        <p className="text-ink-3 text-sm">
          If the file has changed since this was proposed, nothing is written and the bot is informed.
        </p>
      )}
      {!can('operator') && (
        <p className="text-ink-3 text-sm">View only: operators and owners can answer this.</p>
      )}
    </>
  );
}

function MachineNotice({ name }: { name: string }) {
  const { api } = useWorkspace();
  const machines = useQuery(machinesQuery(api));
  const machine = machines.data?.find((one) => one.name === name && one.status !== 'revoked');
  if (machines.data === undefined) return null;
  if (machine?.status === 'online')
    return machine.confirmation === 'terminal' ? (
      <p className="text-ink-3 text-sm">
        {name} also asks at its own terminal: somebody there has to confirm within ten minutes.
      </p>
    ) : null;
  return (
    <p className="flex gap-2 rounded-md bg-warning-tint px-3 py-2 text-warning-ink text-sm">
      <Laptop aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        {name} is offline
        {machine?.last_seen_at && (
          <>
            , last seen <TimeAgo at={machine.last_seen_at} />
          </>
        )}
        . An approved command fails unless the machine connects again soon.
      </span>
    </p>
  );
}
