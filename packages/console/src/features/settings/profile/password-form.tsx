import { useState } from 'react';
import { updateProfile } from '../../../api/session.ts';
import { NewPasswordField } from '../../../app/new-password-field.tsx';
import { useForm } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { Button } from '../../../kit/button.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { TextField } from '../../../kit/text-field.tsx';
import { notify } from '../../../kit/toast.tsx';

export function PasswordForm() {
  const { user } = useWorkspace();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { onSubmit, isBusy, at, error } = useForm(async () => {
    await updateProfile({ password, current_password: current });
    setCurrent('');
    setPassword('');
    notify({ text: 'Your password was changed.' });
  }, ['password', 'current_password']);

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
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
      <NewPasswordField label="New password" value={password} onChange={setPassword} error={at('password')} />
      {error !== undefined && <InlineError error={error} />}
      <div>
        <Button type="submit" isBusy={isBusy} isDisabled={current === '' || password === ''}>
          Change the password
        </Button>
      </div>
    </form>
  );
}
