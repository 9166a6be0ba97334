import type { ApprovalGrant } from '@svc/contract/approval-grants';
import { useQueryClient } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { grantsQuery, revokeGrant } from '../../api/approvals.ts';
import { keys } from '../../api/client.ts';
import { TextLink, useRead, useWorkspace } from '../../app/workspace.tsx';
import { exactTime } from '../../format/time.ts';
import { announce } from '../../kit/announce.ts';
import { Button } from '../../kit/buttons.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { ConfirmDialog } from '../../kit/dialogs.tsx';
import { TimeAgo, VisibleText } from '../../kit/labels.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { GrantText } from './grant-choice.tsx';

/** What people allowed together with an approval, until they revoke it. */
export function StandingApprovals() {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const grants = useRead(grantsQuery);
  const [revoking, setRevoking] = useState<ApprovalGrant>();
  if (grants.isPending) return <RowsLoading />;
  if (grants.isError) return <LoadError query={grants} className="p-4 md:p-6" />;
  if (grants.data.length === 0)
    return (
      <EmptyState icon={<ShieldCheck aria-hidden />} title="Nothing is allowed without asking">
        When you approve a change of files or a command on a machine, or a call of a tool that permits it, you
        can allow the next ones too. What you allow is listed here, and can be revoked.
      </EmptyState>
    );
  const columns: Column<ApprovalGrant>[] = [
    { title: 'Allowed', cell: (grant) => <GrantText {...grant} /> },
    { title: 'Where', cell: placeCell },
    { title: 'By', isSecondary: true, cell: creatorCell },
    ...(can('operator') ? [{ title: 'Actions', cell: actionsCell }] : []),
  ];
  return (
    <>
      <div className="h-full overflow-y-auto">
        <DataTable
          label="Allowed"
          columns={columns}
          rows={grants.data}
          keyOf={({ id }) => id}
          isLinked={false}
        />
      </div>
      {revoking && (
        <ConfirmDialog
          title="Revoke this?"
          action="Revoke"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await revokeGrant(api, revoking.id);
            await client.invalidateQueries({ queryKey: keys.lists(api, 'approval') });
            announce('Revoked.');
          }}
        >
          <p>
            The bot asks again before the next such call: <GrantText {...revoking} />. What ran already is not
            undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );

  function actionsCell(grant: ApprovalGrant) {
    return (
      <Button
        size="small"
        look="quiet"
        onPress={() => setRevoking(grant)}
        aria-label={`Revoke ${grant.tool_name ?? grant.command ?? `changes in ${grant.directory}`}`}
      >
        Revoke
      </Button>
    );
  }
}

function placeCell(grant: ApprovalGrant) {
  const { scope, machine_name: machine, bot_name: bot, conversation_id: id, expires_at: until } = grant;
  return (
    <span className="flex flex-col">
      <span>
        <VisibleText text={bot} />
        {machine !== null && (
          <>
            {' '}
            on <VisibleText text={machine} />
          </>
        )}
      </span>
      {id === null ? (
        <span className="text-ink-2 text-sm">every conversation</span>
      ) : (
        <TextLink path={`/conversations/${id}`} className="text-sm">
          {scope === 'conversation' ? 'in one conversation' : 'every conversation of this user'}
        </TextLink>
      )}
      {until !== null && (
        <time dateTime={until} className="text-ink-2 text-sm">
          until {exactTime(new Date(until))}
        </time>
      )}
    </span>
  );
}

function creatorCell({ created_by_name: name, created_at: at }: ApprovalGrant) {
  return (
    <span className="flex flex-col">
      <VisibleText text={name ?? 'somebody'} />
      <TimeAgo at={at} className="text-ink-3 text-sm" />
    </span>
  );
}
