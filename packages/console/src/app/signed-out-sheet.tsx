import type { ConsoleSession, ConsoleUser } from '@svc/contract/console-session';
import { useQueryClient } from '@tanstack/react-query';
import { SignInForm } from '../features/entrance/sign-in-form.tsx';
import { Dialog } from '../kit/dialogs.tsx';

/** Over the page of a person whose session has ended: what they typed is still there. */
export function SignedOutSheet({ user }: { user: ConsoleUser }) {
  const queries = useQueryClient();

  /** Another person must not see what was read for this one. */
  async function resume({ user: signedIn }: ConsoleSession): Promise<void> {
    if (signedIn?.id === user.id) await queries.invalidateQueries();
    else location.reload();
  }

  return (
    <Dialog title="You are signed out" isAlert size="small" onClose={() => location.assign('/sign-in')}>
      <div className="flex flex-col gap-4">
        <p className="text-ink-2">Sign in again to continue. Nothing on the page is lost.</p>
        <SignInForm email={user.email} onSignedIn={resume} />
      </div>
    </Dialog>
  );
}
