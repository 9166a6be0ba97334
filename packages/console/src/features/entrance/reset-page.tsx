import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { callConsole } from '../../api/client.ts';
import { refreshSession } from '../../api/session.ts';
import { useSearchState } from '../../app/places.tsx';
import { useSubmit } from '../../app/use-submit.ts';
import { Button } from '../../kit/button.tsx';
import { InlineError } from '../../kit/inline-error.tsx';
import { TextField } from '../../kit/text-field.tsx';
import { EntranceFrame } from './entrance-frame.tsx';
import { LinkGone } from './link-gone.tsx';

/** Sets a new password with a link. */
export function ResetPage() {
  const [{ token = '' }] = useSearchState();
  const [password, setPassword] = useState('');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { submit, isBusy, at, error } = useSubmit(async () => {
    await callConsole('POST', '/reset', { token, password });
    await refreshSession(queries);
    await navigate({ href: '/', replace: true });
  }, ['password', 'token']);

  function reset(event: FormEvent): void {
    event.preventDefault();
    void submit();
  }

  if (token === '' || at('token') !== undefined) {
    return (
      <LinkGone command="npm run svc -- members reset-password EMAIL">
        The person who runs the service can print another one:
      </LinkGone>
    );
  }
  return (
    <EntranceFrame title="Choose a new password" lead="You are signed out everywhere else.">
      <form onSubmit={reset} className="flex flex-col gap-4">
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          description="At least 10 characters."
          autoFocus
          isRequired
          value={password}
          onChange={setPassword}
          error={at('password')}
        />
        {error !== undefined && <InlineError error={error} />}
        <Button type="submit" look="primary" isBusy={isBusy}>
          Save and sign in
        </Button>
      </form>
    </EntranceFrame>
  );
}
