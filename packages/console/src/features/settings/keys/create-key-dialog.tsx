import type { Ability } from '@svc/contract/abilities';
import type { CreatedAccountKey } from '@svc/contract/keys';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../../api/keys.ts';
import { createKey } from '../../../api/members.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { serverNow } from '../../../format/server-time.ts';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { RadioGroup } from '../../../kit/radio-group.tsx';
import { Select } from '../../../kit/select.tsx';
import { TextField } from '../../../kit/text-field.tsx';
import { AbilityFields } from './ability-fields.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';

const lifetimes = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
] as const;

/** Creates a key, and shows it once. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<'all' | 'some'>('some');
  const [abilities, setAbilities] = useState<ReadonlySet<Ability>>(
    new Set<Ability>(['bots:read', 'chat:write']),
  );
  const [lifetime, setLifetime] = useState<(typeof lifetimes)[number]['value']>('never');
  const [created, setCreated] = useState<CreatedAccountKey>();
  const { submit, isBusy, at, error } = useSubmit(async () => {
    const granted = scope === 'all' ? ('all' as const) : [...abilities];
    setCreated(await createKey(api, { name, abilities: granted, expires_at: expiry(lifetime) }));
    await queries.invalidateQueries({ queryKey: keys.lists(api.workspaceId, 'key') });
  }, ['name', 'abilities', 'expires_at']);

  if (created) return <NewKeyDialog created={created} onClose={onClose} />;
  return (
    <FormDialog
      title="New key"
      action="Create"
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="What uses it, such as “shop backend”."
        autoFocus
        isRequired
        value={name}
        onChange={setName}
        error={at('name')}
      />
      <RadioGroup
        label="May do"
        isInline
        options={[
          { value: 'some', label: 'Only what is selected' },
          { value: 'all', label: 'Everything, now and later' },
        ]}
        value={scope}
        onChange={setScope}
        error={at('abilities')}
      />
      {scope === 'some' && <AbilityFields value={abilities} onChange={setAbilities} />}
      <Select
        label="Expires"
        options={lifetimes}
        value={lifetime}
        onChange={setLifetime}
        error={at('expires_at')}
        className="w-40"
      />
    </FormDialog>
  );
}

function expiry(lifetime: (typeof lifetimes)[number]['value']): string | null {
  return lifetime === 'never' ? null : new Date(serverNow() + Number(lifetime) * 86_400_000).toISOString();
}
