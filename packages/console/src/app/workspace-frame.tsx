import type { ConsoleSession, ConsoleUser } from '@svc/contract/console-session';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useParams, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { onUnauthorized } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { forgetReplyDrafts } from '../features/conversations/reply-drafts.ts';
import { InlineError, Loading } from '../kit/placeholders.tsx';
import { LiveProvider } from '../live/live-provider.tsx';
import { NoWorkspace } from './no-workspace.tsx';
import { Shell } from './shell.tsx';
import { WorkspaceProvider } from './workspace.tsx';

/** Most people never see it. */
const SignedOutSheet = lazy(async () => ({
  default: (await import('./signed-out-sheet.tsx')).SignedOutSheet,
}));

/** Lets only members of the workspace in. */
export function WorkspaceFrame() {
  const { workspace: id = '' } = useParams({ strict: false });
  const queries = useQueryClient();
  const session = useQuery(sessionQuery);
  useEffect(() => {
    const { queryKey } = sessionQuery;
    return onUnauthorized(() => void queries.invalidateQueries({ queryKey }, { cancelRefetch: false }));
  }, [queries]);
  useEffect(() => rememberWorkspace(id), [id]);
  const userId = session.data?.user?.id;
  useEffect(() => {
    if (userId !== undefined) forgetReplyDrafts(userId);
  }, [userId]);
  const shown = useLastMember(session.data, id);
  if (session.isPending) return <Loading>{null}</Loading>;
  if (!session.data) {
    return (
      <main className="mx-auto max-w-lg p-6">
        <InlineError error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  const { user, workspaces } = session.data;
  if (!user && !shown) return <ToSignIn />;
  if (!shown || (user && !workspaces.some((one) => one.id === id))) {
    return (
      user && (
        <NoWorkspace title="You are not a member of this workspace" user={user} other={workspaces[0]}>
          Ask an owner of the workspace for an invitation.
        </NoWorkspace>
      )
    );
  }
  return (
    <WorkspaceProvider workspace={shown.workspace} user={shown.user} key={id}>
      <LiveProvider>
        <Shell>
          <Outlet />
        </Shell>
      </LiveProvider>
      {!user && (
        <Suspense>
          <SignedOutSheet user={shown.user} />
        </Suspense>
      )}
    </WorkspaceProvider>
  );
}

/** Leads to the sign-in, and from there back here. Goes once: while that page is loaded, the address is already its own. */
function ToSignIn() {
  const router = useRouter();
  const isOnTheWay = useRef(false);
  useEffect(() => {
    if (isOnTheWay.current) return;
    isOnTheWay.current = true;
    const { href } = router.state.location;
    void router.navigate({ to: '/sign-in', search: { next: href }, replace: true });
  }, [router]);
  return null;
}

interface ShownMember {
  user: ConsoleUser;
  workspace: ConsoleSession['workspaces'][number];
}

/** The member whose page is shown. It stays when the session ends, so that nothing on the page is lost. */
function useLastMember(session: ConsoleSession | undefined, workspaceId: string): ShownMember | undefined {
  const last = useRef<ShownMember>(undefined);
  const workspace = session?.workspaces.find(({ id }) => id === workspaceId);
  if (session?.user && workspace) last.current = { user: session.user, workspace };
  return last.current?.workspace.id === workspaceId ? last.current : undefined;
}

const name = 'svc_workspace';

/** The workspace that was last open in this browser. */
export function lastWorkspace(): string | undefined {
  return localStorage.getItem(name) ?? undefined;
}

function rememberWorkspace(id: string): void {
  localStorage.setItem(name, id);
}
