import { hasRole, type Role } from '@svc/contract/roles';
import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { membersQuery } from '../api/members.ts';
import { EmptyState } from '../kit/empty-state.tsx';
import { useWorkspace } from './workspace-context.tsx';

/** Shows its content to members with this role, and to others who can help. */
export function OnlyFor({ role, children }: { role: Role; children: ReactNode }) {
  const { can } = useWorkspace();
  return can(role) ? children : <Forbidden role={role} />;
}

function Forbidden({ role }: { role: Role }) {
  const { api } = useWorkspace();
  const { data = [] } = useQuery(membersQuery(api));
  const names = data.filter((member) => hasRole(member.role, role)).map(({ name }) => name);
  return (
    <EmptyState
      icon={<Lock aria-hidden />}
      title={role === 'owner' ? 'Only owners see this' : 'Only operators and owners see this'}
    >
      {names.length > 0 && `${list.format(names.slice(0, 3))} can help you.`}
    </EmptyState>
  );
}

const list = new Intl.ListFormat('en', { type: 'disjunction' });
