import { hasRole, type Role } from '@svc/contract/roles';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { membersQuery } from '../api/members.ts';
import { EmptyState } from '../kit/placeholders.tsx';
import { useRead, useWorkspace } from './workspace.tsx';

interface OnlyForProps {
  role: Role;
  /** What members with the role do here. */
  does?: string;
  children: ReactNode;
}

/** Shows its content to members with this role, and to others who can help. */
export function OnlyFor({ role, does = 'see this', children }: OnlyForProps) {
  const { can } = useWorkspace();
  return can(role) ? children : <Forbidden role={role} does={does} />;
}

function Forbidden({ role, does }: Required<Omit<OnlyForProps, 'children'>>) {
  const { data = [] } = useRead(membersQuery);
  const names = data.filter((member) => hasRole(member.role, role)).map(({ name }) => name);
  return (
    <EmptyState
      icon={<Lock aria-hidden />}
      title={`Only ${role === 'owner' ? 'owners' : 'operators and owners'} ${does}`}
    >
      {names.length > 0 && `${list.format(names.slice(0, 3))} can help you.`}
    </EmptyState>
  );
}

const list = new Intl.ListFormat('en', { type: 'disjunction' });
