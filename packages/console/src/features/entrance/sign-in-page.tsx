import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { useSearchState } from '../../app/workspace.tsx';
import { Command, EntranceFrame } from './entrance-frame.tsx';
import { pageAfterSignIn } from './page-after-sign-in.ts';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const [{ next }] = useSearchState();
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const href = pageAfterSignIn(next);
  if (session?.user) return <Navigate to={href} replace />;
  return (
    <EntranceFrame title="Sign in">
      <SignInForm onSignedIn={() => navigate({ href, replace: true })} />
      {session?.needs_setup ? (
        <div className="flex flex-col gap-2 text-ink-2 text-sm">
          <p>Nobody has an account yet. The service printed a link for the first one; this prints another:</p>
          <Command parameters="setup-link" />
        </div>
      ) : (
        <details className="text-ink-2 text-sm">
          <summary className="cursor-pointer text-accent-ink">Forgot your password?</summary>
          <div className="mt-2 flex flex-col gap-2">
            <p>The person who runs the service can send you a link. This prints it:</p>
            <Command parameters="members reset-password EMAIL" />
          </div>
        </details>
      )}
    </EntranceFrame>
  );
}
