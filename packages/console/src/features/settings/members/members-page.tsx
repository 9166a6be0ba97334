import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { membersQuery } from '../../../api/members.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { InvitationTable } from './invitation-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberTable } from './member-table.tsx';

export function MembersPage() {
  const { api, can } = useWorkspace();
  const members = useQuery(membersQuery(api));
  const [isInviting, setInviting] = useState(false);
  const isOwner = can('owner');
  return (
    <SettingsPage
      tab="members"
      actions={
        isOwner && (
          <Button look="primary" icon={<UserPlus aria-hidden />} onPress={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {members.isPending && <RowsLoading rows={3} />}
      {members.isError && <LoadError query={members} />}
      {members.data && <MemberTable members={members.data} />}
      {isOwner && <InvitationTable members={members.data ?? []} />}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </SettingsPage>
  );
}
