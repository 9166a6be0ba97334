import type { ToolUse } from '@svc/contract/console-tools';
import type { CatalogEntry, Tool } from '@svc/contract/tools';
import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Play, Trash2 } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { deleteTool, rereadTools } from '../../../api/tools.ts';
import { useBotNames } from '../../../app/bot-select.tsx';
import { LeaveGuard, type NextPage } from '../../../app/leave-guard.tsx';
import { useGo, useHref, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button, copyText, IconButton } from '../../../kit/buttons.tsx';
import { ConfirmDialog } from '../../../kit/dialogs.tsx';
import { Switch, TextAreaField, TextField } from '../../../kit/fields.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { Page } from '../../../kit/page.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import type { FieldSchema } from '../../../kit/schema-fields.ts';
import { SchemaForm } from '../../../kit/schema-form.tsx';
import { SidePanel } from '../../../kit/side-panel.tsx';
import { notify } from '../../../kit/toast.tsx';
import { UsedBy } from '../used-by.tsx';
import { ownToolField } from './own-tool-field.tsx';
import { TestPanel } from './test-panel.tsx';
import { unusedSecrets } from './tool-draft.ts';
import { type ToolForm, useToolForm } from './use-tool-form.ts';

interface ToolEditorProps {
  entry: CatalogEntry;
  /** Undefined for a new one. */
  tool: Tool | undefined;
  use: ToolUse | undefined;
  presetId: string | undefined;
}

/** The form of a tool, with a test of what it says beside it. */
export function ToolEditor({ entry, tool, use, presetId }: ToolEditorProps) {
  const { can } = useWorkspace();
  const [search, setSearch] = useSearchState();
  const href = useHref();
  const form = useToolForm({ entry, tool, presetId });
  const isReadOnly = !can('operator');
  const isTesting = search['test'] === '1' && !isReadOnly;
  /** The address of a new one names its type. */
  const isKeptAt = ({ pathname, search: next }: NextPage) =>
    pathname === href(`/tools/${tool?.id ?? 'new'}`) &&
    next['type'] === search['type'] &&
    next['preset'] === search['preset'];
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.metaKey || event.ctrlKey) || event.key !== 's' || isReadOnly) return;
    event.preventDefault();
    void form.save();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return (
    <Page
      isFixed
      title={tool?.name ?? `New tool: ${entry.name}`}
      beside={
        <span className="text-ink-3 text-sm">
          {tool && entry.name}
          {isReadOnly && ' · View only'}
        </span>
      }
      actions={
        !isReadOnly && (
          <>
            {!isTesting && (
              <Button icon={<Play aria-hidden />} onPress={() => setSearch({ test: 1 })}>
                Try it
              </Button>
            )}
            {tool && <ToolMenu tool={tool} use={use} />}
            {tool && form.isChanged && <Button onPress={form.discard}>Discard</Button>}
            <Button
              look="primary"
              isBusy={form.isSaving}
              isDisabled={tool !== undefined && !form.isChanged}
              onPress={() => void form.save()}
            >
              {tool ? 'Save' : 'Add'}
            </Button>
          </>
        )
      }
    >
      <LeaveGuard
        isDirty={form.isChanged}
        isKeptAt={isKeptAt}
        changes={form.draft.name ? `changes of ${form.draft.name}` : 'the new tool'}
      />
      <div className="flex h-full min-h-0">
        <div className="relative min-w-0 flex-1 overflow-y-auto">
          <ToolFields entry={entry} tool={tool} use={use} form={form} isReadOnly={isReadOnly} />
        </div>
        {isTesting && (
          <SidePanel title="Try it" onClose={() => setSearch({ test: undefined })}>
            <TestPanel entry={entry} tool={tool} form={form} />
          </SidePanel>
        )}
      </div>
    </Page>
  );
}

interface ToolFieldsProps {
  entry: CatalogEntry;
  tool: Tool | undefined;
  use: ToolUse | undefined;
  form: ToolForm;
  isReadOnly: boolean;
}

function ToolFields({ entry, tool, use, form, isReadOnly }: ToolFieldsProps) {
  const { draft, change, errors, configurationErrors, error } = form;
  const secrets = Object.fromEntries((tool?.secrets_set ?? []).map((field) => [field, setAt(use, field)]));
  const unused = unusedSecrets(entry, draft, tool);
  return (
    <form
      className="flex max-w-[720px] flex-col gap-8 px-4 py-5 md:px-6"
      onSubmit={(event) => {
        event.preventDefault();
        void form.save();
      }}
    >
      {error !== undefined && <InlineError error={error} />}
      {configurationErrors.size > 0 && error === undefined && (
        <p role="alert" className="text-danger-ink text-sm">
          Nothing is saved yet: look at the fields in red.
        </p>
      )}
      <section className="flex flex-col gap-4">
        <TextField
          label="Name"
          placeholder="order_status"
          description="The model calls it by this name."
          isRequired
          isReadOnly={isReadOnly}
          value={draft.name}
          onChange={(name) => change({ name })}
          error={errors.get('name')}
        />
        <TextAreaField
          label="Description"
          placeholder="Looks up where an order is. Use it when somebody asks about a parcel."
          description="What it does and when to use it: the model decides by this text."
          minRows={2}
          isReadOnly={isReadOnly}
          value={draft.description}
          onChange={(description) => change({ description })}
          error={errors.get('description')}
        />
        {tool && (
          <div className="flex flex-wrap items-start gap-x-10 gap-y-3">
            <Switch
              label="On"
              description="Bots lose it while it is off."
              isOn={draft.isActive}
              isDisabled={isReadOnly}
              onChange={(isActive) => change({ isActive })}
            />
            <div className="text-sm">
              <span className="block font-medium">Used by</span>
              <UsedBy use={use} />
            </div>
          </div>
        )}
      </section>
      <SchemaForm
        schema={entry.configuration_schema}
        value={draft.configuration}
        onChange={(configuration) => change({ configuration })}
        errors={configurationErrors}
        secrets={secrets}
        isReadOnly={isReadOnly}
        ownField={ownToolField}
      />
      {unused.length > 0 && (
        <p role="status" className="text-sm text-warning-ink">
          Stored secrets that no longer apply are removed when you save:{' '}
          {unused.map((name) => titleOf(entry, name)).join(', ')}.
        </p>
      )}
    </form>
  );
}

function setAt(use: ToolUse | undefined, field: string): string {
  return use?.secrets.find((secret) => secret.field === field)?.set_at ?? '';
}

function titleOf({ configuration_schema: schema }: CatalogEntry, field: string): string {
  return (schema as FieldSchema).properties?.[field]?.title ?? field;
}

function ToolMenu({ tool, use }: { tool: Tool; use: ToolUse | undefined }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const go = useGo();
  const nameOf = useBotNames();
  const [isConfirming, setConfirming] = useState(false);
  const callers = use?.bot_ids.map(nameOf) ?? [];
  const hooked = use?.hook_bot_ids.map(nameOf) ?? [];

  async function remove(): Promise<void> {
    await deleteTool(api, tool.id);
    notify({ text: `${tool.name} was deleted.` });
    go('/tools', {}, { ignoreBlocker: true });
    await rereadTools(client, api);
  }

  return (
    <>
      <Menu
        label="More"
        entries={[
          { label: 'Copy the id', onAction: () => void copyText(tool.id) },
          {
            label: 'Delete…',
            icon: <Trash2 aria-hidden />,
            isDangerous: true,
            isFirstOfGroup: true,
            onAction: () => setConfirming(true),
          },
        ]}
      >
        <IconButton label="More" icon={<Ellipsis aria-hidden />} />
      </Menu>
      {isConfirming && (
        <ConfirmDialog
          title={`Delete ${tool.name}?`}
          action="Delete"
          onClose={() => setConfirming(false)}
          onConfirm={remove}
        >
          <p>Its configuration{tool.secrets_set.length > 0 && ' and its secrets'} are lost.</p>
          {callers.length > 0 && <p>These bots can no longer call it: {callers.join(', ')}.</p>}
          {hooked.length > 0 && <p>These no longer run it after a call: {hooked.join(', ')}.</p>}
          {callers.length + hooked.length === 0 && <p>No bot uses it.</p>}
        </ConfirmDialog>
      )}
    </>
  );
}
