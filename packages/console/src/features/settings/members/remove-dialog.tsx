import type { Member } from '@svc/contract/console-session';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { keys } from '../../../api/keys.ts';
import { holdingsQuery, removeMember } from '../../../api/members.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { HoldingList } from './holding-list.tsx';

interface RemoveDialogProps {
  member: Member;
  onClose: () => void;
}

/** Removes a member, or lets the person leave. */
export function RemoveDialog({ member, onClose }: RemoveDialogProps) {
  const { api, name, user } = useWorkspace();
  const queries = useQueryClient();
  const isSelf = member.id === user.id;
  const holdings = useQuery(holdingsQuery(api, member.id));

  async function remove(): Promise<void> {
    await removeMember(api, member.id);
    if (isSelf) location.assign('/');
    else await queries.invalidateQueries({ queryKey: keys.lists(api.workspaceId, 'member') });
  }

  return (
    <ConfirmDialog
      title={isSelf ? `Leave ${name}?` : `Remove ${member.name} from ${name}?`}
      action={isSelf ? 'Leave' : 'Remove'}
      isOpen
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
