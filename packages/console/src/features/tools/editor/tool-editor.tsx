import type { OfferedFunction, ToolUse } from '@svc/contract/console-tools';
import type { CatalogEntry, Tool, ToolTestResult } from '@svc/contract/tools';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Play, Trash2 } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { deleteTool, listDraftFunctions, rereadTools, testDraft } from '../../../api/tools.ts';
import { useBotNames } from '../../../app/bot-select.tsx';
import { LeaveGuard, type NextPage } from '../../../app/leave-guard.tsx';
import { useGo, useHref, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { duration } from '../../../format/time.ts';
import { Button, copyText, IconButton } from '../../../kit/buttons.tsx';
import { ConfirmDialog } from '../../../kit/dialogs.tsx';
import { Select, Switch, TextAreaField, TextField } from '../../../kit/fields.tsx';
import { formatJsonPath, isWritable, type JsonPath } from '../../../kit/json-path.ts';
import { JsonTree } from '../../../kit/json-tree.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { Page } from '../../../kit/page.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { findFaults } from '../../../kit/schema-faults.ts';
import type { FieldSchema, FormValue } from '../../../kit/schema-fields.ts';
import { SchemaForm } from '../../../kit/schema-form.tsx';
import { SidePanel } from '../../../kit/side-panel.tsx';
import { notify } from '../../../kit/toast.tsx';
import type { Faults } from '../../../kit/uncorrected.ts';
import { useUncorrected } from '../../../kit/use-uncorrected.ts';
import { UsedBy } from '../used-by.tsx';
import { AddToBot } from './add-to-bot.tsx';
import { missingBelow, ownToolField } from './own-tool-field.tsx';
import { withParameter } from './parameters.ts';
import { testedDraft, unusedSecrets } from './tool-draft.ts';
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
  function addParameter(name: string): void {
    const parameters = withParameter(draft.configuration['parameters'] as FieldSchema | undefined, name);
    change({ configuration: { ...draft.configuration, parameters } });
    // It may have been refused for the lack of it.
    form.setError(undefined);
  }
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
          description="What people and the model call it."
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
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <span className="font-medium">Used by</span>
            <UsedBy use={use} />
            {use && tool.is_active && !isReadOnly && <AddToBot tool={tool} use={use} />}
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
        below={missingBelow(addParameter)}
      />
      <div className="flex flex-wrap items-start gap-x-10 gap-y-3">
        {tool && (
          <Switch
            label="On"
            description="Bots lose it while it is off."
            isOn={draft.isActive}
            isDisabled={isReadOnly}
            onChange={(isActive) => change({ isActive })}
          />
        )}
        {entry.tool_type !== 'coding' && (
          <Switch
            label="For new bots"
            description="Bots that are created from now on get it."
            isOn={draft.isDefault}
            isDisabled={isReadOnly}
            onChange={(isDefault) => change({ isDefault })}
          />
        )}
      </div>
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

interface TestPanelProps {
  entry: CatalogEntry;
  /** Undefined for a new one. */
  tool: Tool | undefined;
  form: ToolForm;
}

interface Ran {
  result: ToolTestResult;
  /** Without `response_path`, so that values can be chosen. */
  isWhole: boolean;
}

/** Runs what the form says once, for real, saved or not. */
function TestPanel({ entry, tool, form }: TestPanelProps) {
  const { api } = useWorkspace();
  const { draft, change } = form;
  const { configuration } = draft;
  const [parameters, setParameters] = useState<FormValue>({});
  const [found, setFound] = useState<Faults>(new Map());
  const faults = useUncorrected(found, parameters);
  const [chosen, setChosen] = useState<string>();
  const [wantsWhole, setWantsWhole] = useState(false);
  const isMcp = entry.tool_type === 'mcp';
  const own = configuration['parameters'] as FieldSchema | undefined;
  const isOwn = 'parameters' in ((entry.configuration_schema as FieldSchema).properties ?? {});

  const listing = useMutation({
    mutationFn: () => listDraftFunctions(api, testedDraft(entry, draft, tool)),
  });
  const functions: readonly OfferedFunction[] = listing.data ?? [];
  const current = isMcp ? functions.find(({ key }) => key === chosen) : functions[0];
  const schema: FieldSchema = isOwn ? (own ?? {}) : (current?.parameters ?? {});
  const hasPath = typeof configuration['response_path'] === 'string';

  const running = useMutation({
    mutationFn: async (): Promise<Ran> => {
      const isWhole = !hasPath || wantsWhole;
      const { response_path: _path, ...whole } = configuration;
      const tested = testedDraft(entry, isWhole ? { ...draft, configuration: whole } : draft, tool);
      const given = isMcp ? { ...(chosen && { tool: chosen, arguments: parameters }) } : parameters;
      return { result: await testDraft(api, { ...tested, parameters: given }), isWhole };
    },
    onError: (error) => form.setError(error),
  });

  const list = useEffectEvent(() => {
    if (!isOwn && !isMcp) listing.mutate();
  });
  useEffect(() => list(), []);

  function run(): void {
    const wrong = findFaults(schema, parameters);
    setFound(wrong);
    form.setError(undefined);
    if (wrong.size === 0 && form.check()) running.mutate();
  }

  return (
    <form
      className="flex flex-col gap-4 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      {isMcp && (
        <div className="flex flex-wrap items-end gap-2">
          <Button isBusy={listing.isPending} onPress={() => form.check() && listing.mutate()}>
            {listing.data ? 'Ask the server again' : 'See what the server offers'}
          </Button>
          {functions.length > 0 && (
            <Select
              label="Tool of the server"
              options={functions.map(({ key, unusable }) => ({
                value: key,
                label: key,
                ...(unusable && { description: unusable }),
              }))}
              value={chosen ?? null}
              placeholder="Choose one to call it"
              onChange={(key) => {
                setChosen(key);
                setParameters({});
              }}
              className="min-w-48 flex-1"
            />
          )}
        </div>
      )}
      {listing.error && <InlineError error={listing.error} />}
      <SchemaForm schema={schema} value={parameters} onChange={setParameters} errors={faults} />
      {hasPath && (
        <Switch
          label="Show the whole answer"
          description="Not only the part that the model gets."
          isOn={wantsWhole}
          onChange={setWantsWhole}
        />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="secondary" icon={<Play aria-hidden />} isBusy={running.isPending}>
          Run
        </Button>
        <span className="text-ink-3 text-sm">
          This is not a dry run: the tool acts{form.isChanged || !tool ? ', with what the form says now' : ''}
          .
        </span>
      </div>
      {running.error && <InlineError error={running.error} />}
      {running.data && (
        <TestResult
          key={running.submittedAt}
          result={running.data.result}
          {...(isOwn &&
            running.data.isWhole && {
              onResponsePath: (path: string) =>
                change({ configuration: { ...configuration, response_path: path } }),
            })}
          responsePath={hasPath ? String(configuration['response_path']) : undefined}
        />
      )}
    </form>
  );
}

interface TestResultProps {
  result: ToolTestResult;
  responsePath: string | undefined;
  /** Makes a value of the answer what the model gets. */
  onResponsePath?: (path: string) => void;
}

/** What was sent, with secrets masked, and what came back. */
function TestResult({ result, responsePath, onResponsePath }: TestResultProps) {
  const [picked, setPicked] = useState<JsonPath>();
  const { success, error, execution_time_ms: took, resolved_request: request } = result;
  const answer = httpAnswer(result.result);
  function pick(path: JsonPath): void {
    setPicked(path);
    onResponsePath?.(formatJsonPath(path));
  }
  return (
    <section aria-label="Result" className="flex min-w-0 flex-col gap-4">
      {request && <SentRequest request={request} />}
      <div className="flex flex-col gap-2">
        <p className="flex flex-wrap items-center gap-x-3">
          <StateBadge
            state={success ? 'success' : 'danger'}
            text={success ? 'It worked' : 'It failed'}
            isFilled
          />
          <span className="text-ink-2 text-sm">
            {answer && `Status ${answer.status} · `}
            {duration(took)}
          </span>
        </p>
        {error !== undefined && (
          <p className="whitespace-pre-wrap break-words rounded-md bg-danger-tint px-3 py-2 text-danger-ink text-sm">
            {error}
          </p>
        )}
        {onResponsePath && answer && (
          <p className="text-ink-3 text-sm">Click a value to give the model only that part.</p>
        )}
        <JsonTree
          label="Answer"
          value={answer ? answer.body : result.result}
          openDepth={3}
          {...(onResponsePath &&
            answer && {
              onSelect: (path: JsonPath) => isWritable(path) && pick(path),
            })}
        />
        {picked && onResponsePath && responsePath && (
          <p role="status" className="flex flex-wrap items-center gap-2 text-sm">
            <span>
              The model gets <code className="rounded-sm bg-sunken px-1">{responsePath}</code>
            </span>
            {picked.some((step) => typeof step === 'number') && (
              <Button
                size="small"
                onPress={() => onResponsePath(formatJsonPath(picked, { everyEntry: true }))}
              >
                Every entry: {formatJsonPath(picked, { everyEntry: true })}
              </Button>
            )}
          </p>
        )}
      </div>
    </section>
  );
}

function SentRequest({ request }: { request: NonNullable<ToolTestResult['resolved_request']> }) {
  const { method, url, headers, body } = request;
  return (
    <section aria-label="Request" className="flex flex-col gap-1">
      <h3 className="font-medium text-sm">Request</h3>
      <pre className="overflow-x-auto whitespace-pre-wrap break-all rounded-md bg-sunken px-3 py-2 font-mono text-sm">
        <span className="font-semibold">{method}</span> {url}
        {Object.entries(headers).map(([name, value]) => `\n${name}: ${value}`)}
        {body !== null && `\n\n${body}`}
      </pre>
    </section>
  );
}

/** What an HTTP request results in; other tools have results of their own. */
function httpAnswer(result: unknown): { status: number; body: unknown } | undefined {
  if (typeof result !== 'object' || result === null || !('status' in result) || !('body' in result))
    return undefined;
  return typeof result.status === 'number' ? { status: result.status, body: result.body } : undefined;
}
