import type { Invitation, Member } from '@svc/contract/console-session';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { keys } from '../../../api/client.ts';
import { invitationsQuery, revokeInvitation } from '../../../api/members.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { DataTable } from '../../../kit/data-table.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { roleNames } from '../roles.ts';

/** Links that have not been used yet. Nothing is shown if there are none. */
export function InvitationTable({ members }: { members: readonly Member[] }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const { data: invitations = [], error: unread, refetch } = useQuery(invitationsQuery(api));
  const { submit, isBusy, error } = useSubmit(async ({ id }: Invitation) => {
    await revokeInvitation(api, id);
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'invitation') });
  });
  const nameOf = (id: string | null) => members.find((member) => member.id === id)?.name;
  const failure = error ?? unread ?? undefined;
  if (invitations.length === 0 && failure === undefined) return null;
  return (
    <section className="mt-6">
      <h2 className="px-4 pb-2 font-semibold md:px-6">Invitations</h2>
      {failure !== undefined && (
        <div className="px-4 pb-2 md:px-6">
          <InlineError error={failure} {...(error === undefined && { onRetry: () => void refetch() })} />
        </div>
      )}
      <DataTable
        label="Invitations that nobody has accepted yet"
        isLinked={false}
        rows={invitations}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'For',
            className: 'max-w-0 w-1/2',
            cell: ({ email, created_by: by }) => (
              <div className="min-w-0">
                <p className="truncate font-medium" title={email ?? undefined}>
                  {email ?? 'Anybody with the link'}
                </p>
                <p className="truncate text-ink-3">{`by ${nameOf(by) ?? 'the command line'}`}</p>
              </div>
            ),
          },
          { title: 'Role', cell: ({ role }) => roleNames[role] },
          {
            title: 'Expires',
            isSecondary: true,
            cell: (invitation) => <TimeAgo at={invitation.expires_at} />,
          },
          {
            title: 'Actions',
            isTitleHidden: true,
            className: 'w-12 text-right',
            cell: (invitation) => (
              <Button
                size="small"
                aria-label={`Revoke the invitation for ${invitation.email ?? 'anybody'}`}
                isBusy={isBusy}
                onPress={() => void submit(invitation)}
              >
                Revoke
              </Button>
            ),
          },
        ]}
      />
    </section>
  );
}
