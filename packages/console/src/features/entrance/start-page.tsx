import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { NoWorkspace } from '../../app/no-workspace.tsx';
import { lastWorkspace } from '../../app/workspace-frame.tsx';
import { InlineError } from '../../kit/placeholders.tsx';

/** Leads to the workspace that the person used last, or to the sign-in. */
export function StartPage() {
  const { data, error, refetch } = useQuery(sessionQuery);
  if (error) {
    return (
      <main className="mx-auto max-w-lg p-6">
        <InlineError error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  if (!data) return null;
  if (!data.user) return <Navigate to="/sign-in" replace />;
  const last = lastWorkspace();
  const workspace = data.workspaces.find(({ id }) => id === last) ?? data.workspaces[0];
  if (workspace) return <Navigate to={`/w/${workspace.id}`} replace />;
  return (
    <NoWorkspace title="You are not in a workspace" user={data.user}>
      Ask an owner for an invitation link, and open it here.
    </NoWorkspace>
  );
}
