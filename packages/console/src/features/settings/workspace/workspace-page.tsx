import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { renameWorkspace } from '../../../api/members.ts';
import { refreshSession, sessionQuery } from '../../../api/session.ts';
import { useForm } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { Button } from '../../../kit/button.tsx';
import { CopyButton } from '../../../kit/copy-button.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { TextField } from '../../../kit/text-field.tsx';
import { notify } from '../../../kit/toast.tsx';
import { roleNames } from '../roles.ts';
import { SettingsPage } from '../settings-page.tsx';
import { SettingsSection } from '../settings-section.tsx';
import { NewWorkspace } from './new-workspace.tsx';

export function WorkspacePage() {
  const { id, name, role, can } = useWorkspace();
  const { data: session } = useQuery(sessionQuery);
  return (
    <SettingsPage tab="workspace">
      <SettingsSection title="Workspace">
        {can('owner') ? (
          <RenameForm key={name} name={name} />
        ) : (
          <p className="break-words">{`${name}. You are ${role === 'operator' ? 'an' : 'a'} ${roleNames[role].toLowerCase()}.`}</p>
        )}
        <div className="flex flex-wrap items-center gap-x-1 text-ink-2 text-sm">
          Id
          <code className="ml-1 break-all font-mono">{id}</code>
          <CopyButton text={id} label="Copy the id" />
        </div>
      </SettingsSection>
      {session?.can_create_workspaces && <NewWorkspace />}
    </SettingsPage>
  );
}

function RenameForm({ name }: { name: string }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const [value, setValue] = useState(name);
  const { onSubmit, isBusy, at, error } = useForm(async () => {
    await renameWorkspace(api, value.trim());
    await refreshSession(queries);
    notify({ text: 'The workspace was renamed.' });
  }, ['name']);

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <TextField label="Name" isRequired value={value} onChange={setValue} error={at('name')} />
      {error !== undefined && <InlineError error={error} />}
      <div>
        <Button type="submit" look="primary" isBusy={isBusy} isDisabled={value.trim() === name}>
          Save
        </Button>
      </div>
    </form>
  );
}
