import type { Ability } from '@svc/contract/abilities';
import type { CreatedAccountKey } from '@svc/contract/keys';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import { createKey } from '../../../api/members.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { serverNow } from '../../../format/server-time.ts';
import { Button, CopyButton } from '../../../kit/buttons.tsx';
import { Dialog, FormDialog } from '../../../kit/dialogs.tsx';
import { Checkbox, RadioGroup, Select, TextField } from '../../../kit/fields.tsx';
import { OneTimeText } from '../one-time-text.tsx';
import { abilityGroups } from './ability-groups.ts';

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
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'key') });
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

interface AbilityFieldsProps {
  value: ReadonlySet<Ability>;
  onChange: (value: ReadonlySet<Ability>) => void;
}

/** One line per part of the API. */
function AbilityFields({ value, onChange }: AbilityFieldsProps) {
  function set(ability: Ability, isOn: boolean): void {
    const next = new Set(value);
    if (isOn) next.add(ability);
    else next.delete(ability);
    onChange(next);
  }

  return (
    <div className="flex flex-col rounded-md border border-line">
      {abilityGroups().map((group) => (
        <fieldset
          key={group.name}
          className="flex flex-wrap items-center gap-x-6 gap-y-1 border-line border-b px-3 py-2 last:border-b-0"
        >
          <legend className="float-left w-40 text-sm">{group.label}</legend>
          {group.abilities.map(({ ability, label }) => (
            <Checkbox key={ability} isSelected={value.has(ability)} onChange={(isOn) => set(ability, isOn)}>
              {label}
            </Checkbox>
          ))}
        </fieldset>
      ))}
    </div>
  );
}

/** A new key, shown this one time. */
function NewKeyDialog({ created, onClose }: { created: CreatedAccountKey; onClose: () => void }) {
  const example = `curl ${location.origin}/api/v1/bots -H 'Authorization: Bearer ${created.key}'`;
  return (
    <Dialog
      title={`The key ${created.name}`}
      isAlert
      onClose={onClose}
      actions={
        <Button look="primary" onPress={onClose}>
          I have copied it
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <OneTimeText label="Key" text={created.key}>
          Copy it now: it is stored only as a hash and cannot be shown again.
        </OneTimeText>
        {(created.abilities.includes('all') || created.abilities.includes('bots:read')) && (
          <div className="flex flex-col gap-1">
            <p className="font-medium text-sm">Try it</p>
            <div className="flex items-center gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
              <code className="min-w-0 flex-1 overflow-x-auto whitespace-nowrap font-mono text-sm">
                {example}
              </code>
              <CopyButton text={example} label="Copy the command" />
            </div>
          </div>
        )}
      </div>
    </Dialog>
  );
}
