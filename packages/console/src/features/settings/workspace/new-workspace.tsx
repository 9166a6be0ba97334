import type { ConsoleWorkspace } from '@svc/contract/console-session';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { callConsole } from '../../../api/client.ts';
import { refreshSession } from '../../../api/session.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { Button } from '../../../kit/button.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { TextField } from '../../../kit/text-field.tsx';
import { SettingsSection } from '../settings-section.tsx';

/** For whoever runs the installation. */
export function NewWorkspace() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const { submit, isBusy, at, error } = useSubmit(async () => {
    const made = await callConsole<ConsoleWorkspace>('POST', '/workspaces', { name: name.trim() });
    await refreshSession(queries);
    await navigate({ href: `/w/${made.id}` });
  }, ['name']);

  function create(event: FormEvent): void {
    event.preventDefault();
    void submit();
  }

  return (
    <SettingsSection
      title="Another workspace"
      lead="With bots, members and keys of its own, for another team or customer. You become its owner."
    >
      <form onSubmit={create} className="flex flex-wrap items-end gap-2">
        <TextField
          label="Name"
          isRequired
          value={name}
          onChange={setName}
          error={at('name')}
          className="min-w-48 flex-1"
        />
        <Button type="submit" isBusy={isBusy}>
          Create
        </Button>
      </form>
      {error !== undefined && <InlineError error={error} />}
    </SettingsSection>
  );
}
