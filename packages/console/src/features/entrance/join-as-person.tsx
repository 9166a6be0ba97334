import type { ConsoleUser } from '@svc/contract/console-session';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { acceptInvitation, endSession, refreshSession } from '../../api/session.ts';
import { useSubmit } from '../../app/use-submit.ts';
import { Button } from '../../kit/buttons.tsx';
import { InlineError } from '../../kit/placeholders.tsx';

interface JoinAsPersonProps {
  token: string;
  user: ConsoleUser;
  /** The only person who can accept it. */
  invited: string;
  workspace: string;
}

export function JoinAsPerson({ token, user, invited, workspace }: JoinAsPersonProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const isForOther = invited !== user.email.toLowerCase();
  const join = useSubmit(async () => {
    const joined = await acceptInvitation({ token });
    await refreshSession(queries);
    await navigate({ href: `/w/${joined.workspace_id}`, replace: true });
  });
  const leave = useSubmit(async () => {
    await endSession();
    await refreshSession(queries);
  });
  const error = join.error ?? leave.error;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">
        {isForOther ? `This invitation is for ${invited}, and you` : 'You'} are signed in as{' '}
        <strong className="font-medium text-ink">{user.name}</strong> ({user.email}).
      </p>
      {error !== undefined && <InlineError error={error} />}
      {!isForOther && (
        <Button look="primary" isBusy={join.isBusy} onPress={() => void join.submit()}>
          {`Join ${workspace}`}
        </Button>
      )}
      <Button
        look={isForOther ? 'primary' : 'quiet'}
        isBusy={leave.isBusy}
        onPress={() => void leave.submit()}
      >
        Use another account
      </Button>
    </div>
  );
}
