import type { Ability } from '@svc/contract/abilities';
import type { AccountKey, CreatedAccountKey } from '@svc/contract/keys';
import { useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import { accountKeysQuery, createKey, membersQuery, revokeKey } from '../../../api/members.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { serverNow } from '../../../format/server-time.ts';
import { Button, CopyButton } from '../../../kit/buttons.tsx';
import { DataTable } from '../../../kit/data-table.tsx';
import { ConfirmDialog, Dialog, FormDialog } from '../../../kit/dialogs.tsx';
import { Checkbox, RadioGroup, Select, TextField } from '../../../kit/fields.tsx';
import { StateBadge, TimeAgo } from '../../../kit/labels.tsx';
import { EmptyState, InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { OneTimeText, SettingsPage } from '../settings-page.tsx';
import { abilityGroups, describeAbilities } from './ability-groups.ts';

/** The account keys of the workspace. Only owners get here, so nothing is read for others. */
export function KeysPage() {
  const { can } = useWorkspace();
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setCreating(true)}>
      New key
    </Button>
  );
  return (
    <SettingsPage tab="keys" actions={create}>
      {can('owner') && <Keys create={create} />}
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </SettingsPage>
  );
}

function Keys({ create }: { create: React.ReactNode }) {
  const [{ all }, setSearch] = useSearchState();
  const { data, isPending, error, refetch } = useRead(accountKeysQuery);
  if (isPending) return <RowsLoading rows={4} />;
  if (error) {
    return (
      <div className="p-4 md:px-6">
        <InlineError error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  const active = data.filter((key) => keyState(key) === 'active');
  const shown: AccountKey[] = (all === '1' ? data : active).toReversed();
  const hidden = data.length - active.length;
  return (
    <>
      {shown.length > 0 ? (
        <KeyTable accountKeys={shown} />
      ) : (
        <EmptyState icon={<KeyRound aria-hidden />} title="No key works for this workspace" action={create}>
          Programs use a key to call the API, such as your shop that sends a customer's message to a bot.
        </EmptyState>
      )}
      {hidden > 0 && (
        <div className="px-4 py-3 md:px-6">
          <Checkbox isSelected={all === '1'} onChange={(isOn) => setSearch({ all: isOn ? '1' : undefined })}>
            {`Show ${hidden} revoked or expired`}
          </Checkbox>
        </div>
      )}
    </>
  );
}

function KeyTable({ accountKeys }: { accountKeys: readonly AccountKey[] }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const { data: members = [] } = useRead(membersQuery);
  const { data: all = [] } = useRead(accountKeysQuery);
  const [revoked, setRevoked] = useState<AccountKey>();
  /** Keys are created by members, by other keys, or on the server. */
  const authorOf = (id: string | null) =>
    [...members, ...all].find((one) => one.id === id)?.name ??
    (id === null ? 'the server' : 'a former member');

  async function revoke({ id }: AccountKey): Promise<void> {
    await revokeKey(api, id);
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'key') });
  }

  return (
    <>
      <DataTable
        label="Account keys"
        isLinked={false}
        rows={accountKeys}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            className: 'max-w-0 w-2/5',
            cell: (key) => (
              <div className="min-w-0">
                <p
                  className="truncate font-medium max-md:whitespace-normal max-md:break-words"
                  title={key.name}
                >
                  {key.name}
                </p>
                <p className="truncate text-ink-3 max-md:whitespace-normal">
                  <span className="font-mono">{`…${key.hint}`}</span>
                  {` by ${authorOf(key.created_by)}, `}
                  <TimeAgo at={key.created_at} />
                </p>
              </div>
            ),
          },
          {
            title: 'May do',
            isSecondary: true,
            className: 'max-w-0 w-1/4',
            cell: (key) => (
              <p className="truncate" title={key.abilities.join(', ')}>
                {describeAbilities(key.abilities)}
              </p>
            ),
          },
          {
            title: 'Last used',
            cell: (key) => (key.last_used_at ? <TimeAgo at={key.last_used_at} /> : 'never'),
          },
          {
            title: 'Expires',
            isSecondary: true,
            cell: (key) => (key.expires_at ? <TimeAgo at={key.expires_at} /> : 'never'),
          },
          {
            title: 'Actions',
            isTitleHidden: true,
            className: 'w-12 text-right',
            cell: (key) => {
              const state = keyState(key);
              if (state !== 'active') return <StateBadge state="idle" text={state} />;
              return (
                <Button size="small" aria-label={`Revoke ${key.name}`} onPress={() => setRevoked(key)}>
                  Revoke
                </Button>
              );
            },
          },
        ]}
      />
      {revoked && (
        <ConfirmDialog
          title={`Revoke the key ${revoked.name}?`}
          action="Revoke"
          onClose={() => setRevoked(undefined)}
          onConfirm={() => revoke(revoked)}
        >
          <p>
            {revoked.last_used_at ? (
              <>
                Programs that use it stop working immediately. It was last used{' '}
                <TimeAgo at={revoked.last_used_at} />.
              </>
            ) : (
              'It was never used. It cannot be made to work again.'
            )}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

const lifetimes = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
] as const;

/** Creates a key, and shows it once. */
function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<'all' | 'some'>('some');
  const [abilities, setAbilities] = useState<ReadonlySet<Ability>>(
    new Set<Ability>(['bots:read', 'chat:write']),
  );
  const [lifetime, setLifetime] = useState<(typeof lifetimes)[number]['value']>('never');
  const [created, setCreated] = useState<CreatedAccountKey>();
  const values = { name, abilities: [scope, ...abilities], expires_at: lifetime };
  const { submit, isBusy, at, error } = useSubmit(async () => {
    const granted = scope === 'all' ? ('all' as const) : [...abilities];
    setCreated(await createKey(api, { name, abilities: granted, expires_at: expiry(lifetime) }));
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'key') });
  }, values);

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

type KeyState = 'active' | 'expired' | 'revoked';

function keyState(
  { revoked_at: revoked, expires_at: expires }: Pick<AccountKey, 'revoked_at' | 'expires_at'>,
  now = serverNow(),
): KeyState {
  if (revoked) return 'revoked';
  return expires && Date.parse(expires) <= now ? 'expired' : 'active';
}
