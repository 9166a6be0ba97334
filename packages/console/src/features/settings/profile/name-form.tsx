import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { callConsole } from '../../../api/client.ts';
import { refreshSession } from '../../../api/session.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { Button } from '../../../kit/button.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { TextField } from '../../../kit/text-field.tsx';
import { notify } from '../../../kit/toast.tsx';

export function NameForm() {
  const { user } = useWorkspace();
  const queries = useQueryClient();
  const [name, setName] = useState(user.name);
  const { submit, isBusy, at, error } = useSubmit(async () => {
    await callConsole('PATCH', '/profile', { name: name.trim() });
    await refreshSession(queries);
    notify({ text: 'Your name was changed.' });
  }, ['name']);

  function save(event: FormEvent): void {
    event.preventDefault();
    void submit();
  }

  return (
    <form onSubmit={save} className="flex flex-col gap-3">
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
