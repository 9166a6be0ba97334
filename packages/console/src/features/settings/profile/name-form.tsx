import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshSession, updateProfile } from '../../../api/session.ts';
import { useForm } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { Button } from '../../../kit/button.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { TextField } from '../../../kit/text-field.tsx';
import { notify } from '../../../kit/toast.tsx';

export function NameForm() {
  const { user } = useWorkspace();
  const queries = useQueryClient();
  const [name, setName] = useState(user.name);
  const { onSubmit, isBusy, at, error } = useForm(async () => {
    await updateProfile({ name: name.trim() });
    await refreshSession(queries);
    notify({ text: 'Your name was changed.' });
  }, ['name']);

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <TextField
        label="Name"
        autoComplete="name"
        description="Others see it on what you do, and so do end users to whom you write."
        isRequired
        value={name}
        onChange={setName}
        error={at('name')}
      />
      <TextField label="Email" isReadOnly value={user.email} />
      {error !== undefined && <InlineError error={error} />}
      <div>
        <Button type="submit" look="primary" isBusy={isBusy} isDisabled={name.trim() === user.name}>
          Save
        </Button>
      </div>
    </form>
  );
}
