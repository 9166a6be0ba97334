import type { ApprovalGrant } from '@svc/contract/approval-grants';
import type { ToolGrant } from '@svc/contract/tool-grants';
import { useQueryClient } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { grantsQuery, revokeGrant, revokeToolGrant, toolGrantsQuery } from '../../api/approvals.ts';
import { keys } from '../../api/client.ts';
import { useToolNames } from '../../app/tool-names.ts';
import { TextLink, useRead, useWorkspace } from '../../app/workspace.tsx';
import { exactTime } from '../../format/time.ts';
import { announce } from '../../kit/announce.ts';
import { Button } from '../../kit/buttons.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { ConfirmDialog } from '../../kit/dialogs.tsx';
import { TimeAgo, VisibleText } from '../../kit/labels.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { GrantText, ToolGrantText } from './grant-choice.tsx';

/** A grant for machines or for a tool, as the table shows it. */
interface Row {
  id: string;
  /** What it covers. */
  text: ReactNode;
  place: ReactNode;
  givenBy: string | null;
  givenAt: string;
  revokeLabel: string;
  revoke: () => Promise<unknown>;
}

/** What people allowed together with an approval, until they revoke it. */
export function StandingApprovals() {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const toolNameOf = useToolNames();
  const onMachines = useRead(grantsQuery);
  const ofTools = useRead(toolGrantsQuery);
  const [revoking, setRevoking] = useState<Row>();
  if (onMachines.isPending || ofTools.isPending) return <RowsLoading />;
  if (onMachines.isError) return <LoadError query={onMachines} className="p-4 md:p-6" />;
  if (ofTools.isError) return <LoadError query={ofTools} className="p-4 md:p-6" />;
  const rows = [...ofTools.data.map(rowOfTool), ...onMachines.data.map(rowOnMachine)];
  if (rows.length === 0)
    return (
      <EmptyState icon={<ShieldCheck aria-hidden />} title="Nothing is allowed without asking">
        When you approve a change of files or a command on a machine, or a call of a tool that permits it, you
        can allow the next ones too. What you allow is listed here, and can be revoked.
      </EmptyState>
    );
  const columns: Column<Row>[] = [
    { title: 'Allowed', cell: ({ text }) => text },
    { title: 'Where', cell: ({ place }) => place },
    { title: 'By', isSecondary: true, cell: giverCell },
    ...(can('operator') ? [{ title: 'Actions', cell: actionsCell }] : []),
  ];
  return (
    <>
      <div className="h-full overflow-y-auto">
        <DataTable label="Allowed" columns={columns} rows={rows} keyOf={({ id }) => id} isLinked={false} />
      </div>
      {revoking && (
        <ConfirmDialog
          title="Revoke this?"
          action="Revoke"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await revoking.revoke();
            await client.invalidateQueries({ queryKey: keys.lists(api, 'approval') });
            announce('Revoked.');
          }}
        >
          <p>
            The bot asks again before the next such call: {revoking.text}. What ran already is not undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );

  function rowOfTool(grant: ToolGrant): Row {
    const { id, tool_name: tool, bot_name: bot, expires_at: until } = grant;
    return {
      id,
      text: <ToolGrantText tool={tool} />,
      place: (
        <span className="flex flex-col">
          <VisibleText text={bot} />
          <span className="text-ink-2 text-sm">every conversation</span>
          {until !== null && (
            <time dateTime={until} className="text-ink-2 text-sm">
              until {exactTime(new Date(until))}
            </time>
          )}
        </span>
      ),
      givenBy: grant.created_by_name,
      givenAt: grant.created_at,
      revokeLabel: `Revoke ${toolNameOf(tool)}`,
      revoke: () => revokeToolGrant(api, id),
    };
  }

  function rowOnMachine(grant: ApprovalGrant): Row {
    const { id, command, directory } = grant;
    return {
      id,
      text: <GrantText {...grant} />,
      place: <Place grant={grant} />,
      givenBy: grant.created_by_name,
      givenAt: grant.created_at,
      revokeLabel: `Revoke ${command ?? `changes in ${directory}`}`,
      revoke: () => revokeGrant(api, id),
    };
  }

  function actionsCell(row: Row) {
    return (
      <Button size="small" look="quiet" onPress={() => setRevoking(row)} aria-label={row.revokeLabel}>
        Revoke
      </Button>
    );
  }
}

function Place({
  grant: { scope, machine_name: machine, bot_name: bot, conversation_id: id },
}: {
  grant: ApprovalGrant;
}) {
  return (
    <span className="flex flex-col">
      <span>
        <VisibleText text={bot} /> on <VisibleText text={machine} />
      </span>
      <TextLink path={`/conversations/${id}`} className="text-sm">
        {scope === 'conversation' ? 'in one conversation' : 'every conversation of this user'}
      </TextLink>
    </span>
  );
}

function giverCell({ givenBy, givenAt }: Row) {
  return (
    <span className="flex flex-col">
      <VisibleText text={givenBy ?? 'somebody'} />
      <TimeAgo at={givenAt} className="text-ink-3 text-sm" />
    </span>
  );
}
