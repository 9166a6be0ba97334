import { type FormEvent, useState } from 'react';
import { callConsole } from '../../../api/client.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { Button } from '../../../kit/button.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { TextField } from '../../../kit/text-field.tsx';
import { notify } from '../../../kit/toast.tsx';

export function PasswordForm() {
  const { user } = useWorkspace();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { submit, isBusy, at, error } = useSubmit(async () => {
    await callConsole('PATCH', '/profile', { password, current_password: current });
    setCurrent('');
    setPassword('');
    notify({ text: 'Your password was changed.' });
  }, ['password', 'current_password']);

  function save(event: FormEvent): void {
    event.preventDefault();
    void submit();
  }

  return (
    <form onSubmit={save} className="flex flex-col gap-3">
      <input type="hidden" autoComplete="username" value={user.email} readOnly />
      <TextField
        label="Current password"
        type="password"
        autoComplete="current-password"
        isRequired
        value={current}
        onChange={setCurrent}
        error={at('current_password')}
      />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        description="At least 10 characters."
        isRequired
        value={password}
        onChange={setPassword}
        error={at('password')}
      />
      {error !== undefined && <InlineError error={error} />}
      <div>
        <Button type="submit" isBusy={isBusy} isDisabled={current === '' || password === ''}>
          Change the password
        </Button>
      </div>
    </form>
  );
}
