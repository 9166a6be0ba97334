import type { ConsoleUser } from '@svc/contract/console-session';
import { hasRole, type Role } from '@svc/contract/roles';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Api, createApi } from '../api/client.ts';

export interface WorkspaceContext {
  id: string;
  name: string;
  role: Role;
  user: ConsoleUser;
  api: Api;
  /** Whether the member may do what needs this role. Controls that they may not use are left out. */
  can(role: Role): boolean;
}

const Context = createContext<WorkspaceContext | undefined>(undefined);

interface WorkspaceProviderProps {
  workspace: { id: string; name: string; role: Role };
  user: ConsoleUser;
  children: ReactNode;
}

export function WorkspaceProvider({ workspace, user, children }: WorkspaceProviderProps) {
  const { id, name, role } = workspace;
  const value = useMemo(
    () => ({ id, name, role, user, api: createApi(id), can: (needed: Role) => hasRole(role, needed) }),
    [id, name, role, user],
  );
  return <Context value={value}>{children}</Context>;
}

/** The workspace that the page is about. */
export function useWorkspace(): WorkspaceContext {
  const workspace = useContext(Context);
  if (!workspace) throw new Error('This component is outside of a workspace.');
  return workspace;
}
