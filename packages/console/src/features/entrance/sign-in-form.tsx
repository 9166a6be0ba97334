import type { ConsoleSession } from '@svc/contract/console-session';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
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
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const queries = useQueryClient();
  const { onSubmit, isBusy, at, error } = useForm(async () => {
    await signIn({ email: email.trim(), password });
    await onSignedIn(await refreshSession(queries));
  }, ['email', 'password']);

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        autoFocus={known === ''}
        isRequired
        value={email}
        onChange={setEmail}
        error={at('email')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        autoFocus={known !== ''}
        isRequired
        value={password}
        onChange={setPassword}
        error={at('password')}
      />
      {error !== undefined && <InlineError error={error} />}
      <Button type="submit" look="primary" isBusy={isBusy}>
        Sign in
      </Button>
    </form>
  );
}
