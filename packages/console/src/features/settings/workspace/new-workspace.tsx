import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createWorkspace, refreshSession } from '../../../api/session.ts';
import { useForm } from '../../../app/use-submit.ts';
import { Button } from '../../../kit/button.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { TextField } from '../../../kit/text-field.tsx';
import { SettingsSection } from '../settings-section.tsx';

/** For whoever runs the installation. */
export function NewWorkspace() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const { onSubmit, isBusy, at, error } = useForm(async () => {
    const { id } = await createWorkspace(name.trim());
    await refreshSession(queries);
    await navigate({ href: `/w/${id}` });
  }, ['name']);

  return (
    <SettingsSection
      title="Another workspace"
      lead="With bots, members and keys of its own, for another team or customer. You become its owner."
    >
      <form onSubmit={onSubmit} className="flex flex-wrap items-end gap-2">
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
