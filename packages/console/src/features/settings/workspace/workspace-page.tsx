import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { inboxQuery, replaceInbox } from '../../../api/inbox.ts';
import { renameWorkspace } from '../../../api/members.ts';
import { createWorkspace, refreshSession, sessionQuery } from '../../../api/session.ts';
import { useForm } from '../../../app/use-submit.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button, CopyButton } from '../../../kit/buttons.tsx';
import { Switch, TextField } from '../../../kit/fields.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { roleNames } from '../roles.ts';
import { SettingsPage, SettingsSection } from '../settings-page.tsx';

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
      <Sharing />
      {session?.can_create_workspaces && <NewWorkspace />}
    </SettingsPage>
  );
}

/** How the team shares conversations. */
function Sharing() {
  const { api, can } = useWorkspace();
  const queries = useQueryClient();
  const settings = useRead(inboxQuery);
  const change = useMutation({
    mutationFn: (assigns_in_turn: boolean) => replaceInbox(api, { assigns_in_turn }),
    onSuccess: (saved) => queries.setQueryData(inboxQuery(api).queryKey, saved),
  });
  return (
    <SettingsSection title="Conversations">
      {settings.isError && <InlineError error={settings.error} onRetry={() => void settings.refetch()} />}
      <Switch
        label="Assign what waits in turn"
        description="What begins to wait for a person goes to whoever is at the console and was given one longest ago. If nobody is, it stays unassigned."
        isOn={settings.data?.assigns_in_turn ?? false}
        isDisabled={!can('owner') || !settings.data || change.isPending}
        onChange={(isOn) => change.mutate(isOn)}
      />
      {change.error && <InlineError error={change.error} />}
    </SettingsSection>
  );
}

function RenameForm({ name }: { name: string }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const { values, field, onSubmit, isBusy, error } = useForm({ name }, async (changed) => {
    await renameWorkspace(api, changed.name.trim());
    await refreshSession(queries);
    notify({ text: 'The workspace was renamed.' });
  });

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <TextField label="Name" isRequired {...field('name')} />
      {error !== undefined && <InlineError error={error} />}
      <div>
        <Button type="submit" look="primary" isBusy={isBusy} isDisabled={values.name.trim() === name}>
          Save
        </Button>
      </div>
    </form>
  );
}

/** For whoever runs the installation. */
function NewWorkspace() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { field, onSubmit, isBusy, error } = useForm({ name: '' }, async ({ name }) => {
    const { id } = await createWorkspace(name.trim());
    await refreshSession(queries);
    await navigate({ href: `/w/${id}` });
  });

  return (
    <SettingsSection
      title="Another workspace"
      lead="With bots, members and keys of its own, for another team or customer. You become its owner."
    >
      <form onSubmit={onSubmit} className="flex flex-wrap items-end gap-2">
        <TextField label="Name" isRequired className="min-w-48 flex-1" {...field('name')} />
        <Button type="submit" isBusy={isBusy}>
          Create
        </Button>
      </form>
      {error !== undefined && <InlineError error={error} />}
    </SettingsSection>
  );
}
