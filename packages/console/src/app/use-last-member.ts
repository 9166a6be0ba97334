import type { ConsoleSession, ConsoleUser } from '@svc/contract/console-session';
import { useRef } from 'react';

export interface ShownMember {
  user: ConsoleUser;
  workspace: ConsoleSession['workspaces'][number];
}

/** The member whose page is shown. It stays when the session ends, so that nothing on the page is lost. */
export function useLastMember(
  session: ConsoleSession | undefined,
  workspaceId: string,
): ShownMember | undefined {
  const last = useRef<ShownMember>(undefined);
  const workspace = session?.workspaces.find(({ id }) => id === workspaceId);
  if (session?.user && workspace) last.current = { user: session.user, workspace };
  return last.current?.workspace.id === workspaceId ? last.current : undefined;
}
