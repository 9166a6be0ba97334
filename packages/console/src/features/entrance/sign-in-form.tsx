import type { ConsoleSession } from '@svc/contract/console-session';
import { useQueryClient } from '@tanstack/react-query';
import { refreshSession, signIn } from '../../api/session.ts';
import { useForm } from '../../app/use-submit.ts';
import { Button } from '../../kit/buttons.tsx';
import { TextField } from '../../kit/fields.tsx';
import { InlineError } from '../../kit/placeholders.tsx';

interface SignInFormProps {
  /** Of the person who was signed in. */
  email?: string;
  onSignedIn: (session: ConsoleSession) => Promise<void> | void;
}

export function SignInForm({ email: known = '', onSignedIn }: SignInFormProps) {
  const queries = useQueryClient();
  const initial = { email: known, password: '' };
  const { field, onSubmit, isBusy, error } = useForm(initial, async ({ email, password }) => {
    await signIn({ email: email.trim(), password });
    await onSignedIn(await refreshSession(queries));
  });

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        autoFocus={known === ''}
        isRequired
        {...field('email')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        autoFocus={known !== ''}
        isRequired
        {...field('password')}
      />
      {error !== undefined && <InlineError error={error} />}
      <Button type="submit" look="primary" isBusy={isBusy}>
        Sign in
      </Button>
    </form>
  );
}
