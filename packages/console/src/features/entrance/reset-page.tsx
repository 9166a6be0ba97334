import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { refreshSession, resetPassword } from '../../api/session.ts';
import { NewPasswordField } from '../../app/new-password-field.tsx';
import { useForm } from '../../app/use-submit.ts';
import { useSearchState } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { EntranceFrame, LinkGone } from './entrance-frame.tsx';

/** Sets a new password with a link. */
export function ResetPage() {
  const [{ token = '' }] = useSearchState();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { field, onSubmit, isBusy, at, error } = useForm(
    { password: '' },
    async ({ password }) => {
      await resetPassword({ token, password });
      await refreshSession(queries);
      await navigate({ href: '/', replace: true });
    },
    { token },
  );

  if (token === '' || at('token') !== undefined) {
    return (
      <LinkGone command="members reset-password EMAIL">
        The person who runs the service can print another one:
      </LinkGone>
    );
  }
  return (
    <EntranceFrame title="Choose a new password" lead="You are signed out everywhere else.">
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <NewPasswordField label="New password" autoFocus {...field('password')} />
        {error !== undefined && <InlineError error={error} />}
        <Button type="submit" look="primary" isBusy={isBusy}>
          Save and sign in
        </Button>
      </form>
    </EntranceFrame>
  );
}
