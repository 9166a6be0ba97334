import type { Member } from '@svc/contract/console-session';
import type { Role } from '@svc/contract/roles';
import { useQuery } from '@tanstack/react-query';
import { holdingsQuery } from '../../../api/members.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { ConfirmDialog } from '../../../kit/confirm-dialog.tsx';
import { roleNames } from '../roles.ts';
import { HoldingList } from './holding-list.tsx';

interface RoleDialogProps {
  member: Member;
  role: Role;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Before a role is changed that some of what the member has made exceeds. */
export function RoleDialog({ member, role, onConfirm, onClose }: RoleDialogProps) {
  const { api } = useWorkspace();
  const holdings = useQuery(holdingsQuery(api, member.id, role));
  return (
    <ConfirmDialog
      title={`Change the role of ${member.name} to ${roleNames[role]}?`}
      action="Change role"
      isOpen
      isDisabled={!holdings.data}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>Some of what they made can do more than that role allows.</p>
      <HoldingList holdings={holdings} />
    </ConfirmDialog>
  );
}
