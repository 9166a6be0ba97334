import type { Member } from '@svc/contract/console-session';
import type { Role } from '@svc/contract/roles';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import { changeRole, holdingsQuery, removeMember } from '../../../api/members.ts';
import { refreshSession } from '../../../api/session.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { IconButton } from '../../../kit/buttons.tsx';
import { DataTable } from '../../../kit/data-table.tsx';
import { ConfirmDialog } from '../../../kit/dialogs.tsx';
import { Select } from '../../../kit/fields.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { NameText } from '../../../kit/visible-text.tsx';
import { roleNames, roleOptions } from '../roles.ts';
import { HoldingList } from './holding-list.tsx';

export function MemberTable({ members }: { members: readonly Member[] }) {
  const { api, user, can } = useWorkspace();
  const queries = useQueryClient();
  const [removed, setRemoved] = useState<Member>();
  const isOwner = can('owner');
  const [demoted, setDemoted] = useState<{ member: Member; role: Role }>();

  async function change(member: Member, role: Role): Promise<void> {
    await changeRole(api, member.id, role);
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'member') });
    if (member.id === user.id) await refreshSession(queries);
  }

  /** Asks first if something that they made stops working. */
  const { submit, error } = useSubmit(async (member: Member, role: Role) => {
    const held = await queries.fetchQuery(holdingsQuery(api, member.id, role));
    if (held.some((one) => one.is_revoked)) setDemoted({ member, role });
    else await change(member, role);
  });
  return (
    <>
      {error !== undefined && (
        <div className="p-4 md:px-6">
          <InlineError error={error} />
        </div>
      )}
      <DataTable
        label="Members"
        isLinked={false}
        rows={members}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            className: 'max-w-0 w-1/2',
            cell: (member) => (
              <div className="min-w-0">
                <p
                  className="truncate font-medium max-md:whitespace-normal max-md:break-words"
                  title={member.name}
                >
                  <NameText text={member.name} />
                  {member.id === user.id && <span className="font-normal text-ink-3"> (you)</span>}
                </p>
                <p
                  className="truncate text-ink-3 max-md:whitespace-normal max-md:break-all"
                  title={member.email}
                >
                  {member.email}
                </p>
              </div>
            ),
          },
          {
            title: 'Role',
            cell: (member) =>
              isOwner ? (
                <Select
                  label={`Role of ${member.name}`}
                  hideLabel
                  options={roleOptions}
                  value={member.role}
                  onChange={(role) => role !== member.role && void submit(member, role)}
                  className="w-28"
                />
              ) : (
                roleNames[member.role]
              ),
          },
          {
            title: 'Joined',
            isSecondary: true,
            cell: (member) => <TimeAgo at={member.created_at} />,
          },
          {
            title: 'Actions',
            isTitleHidden: true,
            className: 'w-12',
            cell: (member) =>
              (isOwner || member.id === user.id) && (
                <IconButton
                  label={member.id === user.id ? 'Leave the workspace' : `Remove ${member.name}`}
                  onPress={() => setRemoved(member)}
                  icon={<UserMinus aria-hidden />}
                />
              ),
          },
        ]}
      />
      {demoted && (
        <RoleDialog
          {...demoted}
          onConfirm={() => change(demoted.member, demoted.role)}
          onClose={() => setDemoted(undefined)}
        />
      )}
      {removed && <RemoveDialog member={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

/** Removes a member, or lets the person leave. */
function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { api, name, user } = useWorkspace();
  const queries = useQueryClient();
  const isSelf = member.id === user.id;
  const holdings = useQuery(holdingsQuery(api, member.id));

  async function remove(): Promise<void> {
    await removeMember(api, member.id);
    if (isSelf) location.assign('/');
    else await queries.invalidateQueries({ queryKey: keys.lists(api, 'member') });
  }

  return (
    <ConfirmDialog
      title={isSelf ? `Leave ${name}?` : `Remove ${member.name} from ${name}?`}
      action={isSelf ? 'Leave' : 'Remove'}
      isDisabled={!holdings.data}
      onClose={onClose}
      onConfirm={remove}
    >
      <p>
        {isSelf
          ? 'You lose access immediately. To come back you need an invitation.'
          : 'They lose access immediately, on open pages too. Bots, tools and knowledge that they made stay.'}
      </p>
      <HoldingList holdings={holdings} />
    </ConfirmDialog>
  );
}

interface RoleDialogProps {
  member: Member;
  role: Role;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Before a role is changed that some of what the member has made exceeds. */
function RoleDialog({ member, role, onConfirm, onClose }: RoleDialogProps) {
  const { api } = useWorkspace();
  const holdings = useQuery(holdingsQuery(api, member.id, role));
  return (
    <ConfirmDialog
      title={`Change the role of ${member.name} to ${roleNames[role]}?`}
      action="Change role"
      isDisabled={!holdings.data}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>Some of what they made can do more than that role allows.</p>
      <HoldingList holdings={holdings} />
    </ConfirmDialog>
  );
}
