import type { PostCallHook } from '@svc/contract/post-call-hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, AudioLines, Pencil, Plus, Trash2 } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { addHook, deleteHook, hooksQuery, updateHook } from '../../../api/bots.ts';
import { keys } from '../../../api/client.ts';
import { botToolChoicesQuery } from '../../../api/tools.ts';
import { catalogQuery, numbersQuery, voiceQuery } from '../../../api/voice.ts';
import { svcCommand } from '../../../app/svc-command.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { PageLink, TextLink, useRead, useSearchState, useWorkspace } from '../../../app/workspace.tsx';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { ConfirmDialog, Dialog, FormDialog } from '../../../kit/dialogs.tsx';
import { Select, Switch, TextField } from '../../../kit/fields.tsx';
import { JsonEditor } from '../../../kit/json-editor.tsx';
import { NameText, StateBadge, StateIcon } from '../../../kit/labels.tsx';
import { BarLoading, InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { groupVoices, splitVoiceId } from '../../voice/catalog-groups.ts';
import { VoiceList } from '../../voice/voice-list.tsx';
import { CallSettings } from './call-settings.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';
import { ordersAfterMove } from './hooks/orders-after-move.ts';
import { TextAreaSetting, TextSetting } from './setting-fields.tsx';

const providers = [
  { value: 'none', label: 'On this service', description: `Needs no key: ${svcCommand} voice install.` },
  { value: 'elevenlabs', label: 'ElevenLabs' },
  { value: 'cartesia', label: 'Cartesia' },
] as const;

/** How the bot speaks, and what it may do on calls. */
export function VoiceTab() {
  const { form, changeSetting, canEdit, errorAt } = useBotEditor();
  const { settings } = form;
  const [search, setSearch] = useSearchState();
  const [isPicking, setPicking] = useState(false);

  /** A bare voice belongs to the provider; without one, to the service itself. */
  function take(id: string): void {
    const { provider, voice } = splitVoiceId(id);
    const known = providers.find(({ value }) => value === provider && value !== 'none')?.value;
    changeSetting('tts_provider', known === 'none' ? undefined : known);
    changeSetting('tts_voice', voice);
  }

  const wanted = search['use'];
  const takeWanted = useEffectEvent((id: string) => {
    if (canEdit) take(id);
    setSearch({ use: undefined });
  });
  useEffect(() => {
    if (wanted !== undefined) takeWanted(wanted);
  }, [wanted]);

  return (
    <>
      <LanguageNotice />
      <FormSection title="How it speaks">
        <Select
          label="Speech provider"
          options={providers}
          value={settings.tts_provider ?? 'none'}
          onChange={(value) => changeSetting('tts_provider', value === 'none' ? undefined : value)}
          isDisabled={!canEdit}
          error={errorAt('tts_provider')}
          className="max-w-60"
        />
        <TextSetting
          name="tts_voice"
          label="Voice"
          placeholder="The provider’s first"
          description="The provider's id of the voice. It is checked when you save, if the provider has a key."
          isCode
          after={
            canEdit && (
              <Button icon={<AudioLines aria-hidden />} onPress={() => setPicking(true)}>
                Choose
              </Button>
            )
          }
        />
        <TextAreaSetting
          name="voice_greeting"
          label="Greeting on calls"
          minRows={1}
          placeholder="Hello, this is Acme. How can I help?"
        />
      </FormSection>
      <CallSettings />
      <NumbersOfBot />
      <HookSection />
      {isPicking && (
        <VoicePicker
          onClose={() => setPicking(false)}
          onPick={(id) => {
            take(id);
            setPicking(false);
          }}
        />
      )}
    </>
  );
}

/** Which numbers lead to the bot, and which it calls from. */
/** What callers are told when their language is not understood, as it was when the bot was last saved. */
function LanguageNotice() {
  const { bot } = useBotEditor();
  const { data } = useRead(voiceQuery);
  if (!data?.unheard_bots.includes(bot.id)) return null;
  return (
    <p role="note" className="flex items-start gap-2 bg-warning-tint px-4 py-3 text-sm text-warning-ink">
      <StateIcon state="warning" className="mt-0.5" />
      <span>
        Callers of this bot are understood only in English, and are told so. Other languages need a key of
        Deepgram or ElevenLabs: DEEPGRAM_API_KEY or ELEVENLABS_API_KEY.
      </span>
    </p>
  );
}

function NumbersOfBot() {
  const { bot } = useBotEditor();
  const numbers = useRead(numbersQuery);
  const own = numbers.data?.filter((number) => number.bot_id === bot.id) ?? [];
  return (
    <FormSection title="Numbers">
      {numbers.isPending && <BarLoading className="w-1/3" />}
      {numbers.error && <InlineError error={numbers.error} onRetry={() => void numbers.refetch()} />}
      {numbers.data && own.length === 0 && <p className="text-ink-2">No number leads to this bot.</p>}
      {own.length > 0 && (
        <ul className="flex flex-col gap-1">
          {own.map((number) => (
            <li key={number.id} className="flex flex-wrap items-center gap-x-3">
              <span className="font-medium tabular-nums">{number.phone_number}</span>
              {number.is_outbound_primary && <StateBadge state="success" text="calls from here" />}
            </li>
          ))}
        </ul>
      )}
      <TextLink path="/voice/numbers" className="w-fit text-sm">
        All numbers
      </TextLink>
    </FormSection>
  );
}

/** Chooses a voice by its sample. */
function VoicePicker({ onPick, onClose }: { onPick: (id: string) => void; onClose: () => void }) {
  const catalog = useRead(catalogQuery);
  const [text, setText] = useState('');
  const groups = groupVoices(catalog.data ?? [], text);
  return (
    <Dialog title="Choose a voice" onClose={onClose}>
      <div className="flex flex-col gap-3">
        <TextField
          label="Find a voice"
          hideLabel
          type="search"
          autoFocus
          placeholder="Name, language or gender"
          value={text}
          onChange={setText}
        />
        {catalog.isPending && <RowsLoading rows={4} />}
        {catalog.error && <InlineError error={catalog.error} onRetry={() => void catalog.refetch()} />}
        {catalog.data && groups.length === 0 && (
          <p className="text-ink-2">
            {catalog.data.length === 0
              ? 'No provider of speech has a key yet, and no voice is installed.'
              : 'No voice matches.'}
          </p>
        )}
        <div className="-mx-5">
          <VoiceList
            groups={groups}
            actions={({ id, name }) => (
              <Button size="small" aria-label={`Use ${name}`} onPress={() => onPick(id)}>
                Use
              </Button>
            )}
          />
        </div>
      </div>
    </Dialog>
  );
}

type Task = { kind: 'add' } | { kind: 'edit' | 'delete'; hook: PostCallHook };

/** What runs after every call. Not part of the draft: a change counts from the next call on. */
function HookSection() {
  const { api } = useWorkspace();
  const { bot, canEdit } = useBotEditor();
  const client = useQueryClient();
  const hooks = useRead(hooksQuery, bot.id);
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const refresh = () => client.invalidateQueries({ queryKey: keys.one(api, 'bot', bot.id, 'hooks') });
  const changing = useMutation({
    mutationFn: async (changes: readonly (readonly [string, Parameters<typeof updateHook>[3]])[]) => {
      for (const [id, change] of changes) await updateHook(api, bot.id, id, change);
    },
    onSettled: refresh,
  });
  const list = hooks.data ?? [];
  return (
    <FormSection title="After a call">
      <p className="text-ink-2">
        Tools that run when a call has ended, one after the other, for example to write a summary into your
        CRM. Changes here are saved immediately.
      </p>
      {hooks.isPending && <BarLoading className="w-1/2" />}
      {hooks.error && <InlineError error={hooks.error} onRetry={() => void hooks.refetch()} />}
      {changing.error && <InlineError error={changing.error} />}
      {hooks.data && list.length === 0 && <p className="text-ink-3">Nothing runs after a call.</p>}
      {list.length > 0 && (
        <ol aria-label="Hooks" className="flex flex-col">
          {list.map((hook, index) => (
            <HookRow
              key={hook.id}
              hook={hook}
              canEdit={canEdit && !changing.isPending}
              isFirst={index === 0}
              isLast={index === list.length - 1}
              onEnable={(enabled) => changing.mutate([[hook.id, { enabled }]])}
              onConfirm={() => changing.mutate([[hook.id, { confirm: true }]])}
              onMove={(by) =>
                changing.mutate(
                  ordersAfterMove(list, index, by).map(([id, run_order]) => [id, { run_order }] as const),
                )
              }
              onEdit={() => setTask({ kind: 'edit', hook })}
              onDelete={() => setTask({ kind: 'delete', hook })}
            />
          ))}
        </ol>
      )}
      {canEdit && hooks.data && (
        <Button className="self-start" icon={<Plus aria-hidden />} onPress={() => setTask({ kind: 'add' })}>
          Add a tool
        </Button>
      )}
      {task && task.kind !== 'delete' && (
        <HookDialog
          botId={bot.id}
          taken={list}
          {...(task.kind === 'edit' && { saved: task.hook })}
          onClose={close}
          onSaved={refresh}
        />
      )}
      {task?.kind === 'delete' && (
        <ConfirmDialog
          title={`No longer run ${task.hook.tool_name} after calls?`}
          action="Remove"
          onClose={close}
          onConfirm={async () => {
            await deleteHook(api, bot.id, task.hook.id);
            await refresh();
          }}
        >
          <p>Its template is deleted. The tool itself stays, and so does what it did after past calls.</p>
        </ConfirmDialog>
      )}
    </FormSection>
  );
}

interface HookRowProps {
  hook: PostCallHook;
  canEdit: boolean;
  isFirst: boolean;
  isLast: boolean;
  onEnable: (isEnabled: boolean) => void;
  /** Lets a suspended hook run again. */
  onConfirm: () => void;
  onMove: (by: 1 | -1) => void;
  onEdit: () => void;
  onDelete: () => void;
}

function HookRow(props: HookRowProps) {
  const { hook, canEdit, isFirst, isLast, onEnable, onConfirm, onMove, onEdit, onDelete } = props;
  const { tool_name: name, params_template: template } = hook;
  const hasTemplate = Object.keys(template).length > 0;
  return (
    <li className="flex flex-col gap-1 border-line border-b py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <PageLink
          path={`/tools/${hook.tool_configuration_id}`}
          className="min-w-0 flex-1 basis-32 truncate font-medium hover:underline"
          title={name}
        >
          <NameText text={name} />
        </PageLink>
        <Switch
          label={hook.enabled ? 'On' : 'Off'}
          isOn={hook.enabled}
          onChange={onEnable}
          isDisabled={!canEdit}
        />
        {canEdit && (
          <span className="flex">
            <IconButton
              label={`Run ${name} earlier`}
              icon={<ArrowUp aria-hidden />}
              isDisabled={isFirst}
              onPress={() => onMove(-1)}
            />
            <IconButton
              label={`Run ${name} later`}
              icon={<ArrowDown aria-hidden />}
              isDisabled={isLast}
              onPress={() => onMove(1)}
            />
            <IconButton label={`Change ${name}`} icon={<Pencil aria-hidden />} onPress={onEdit} />
            <IconButton label={`Remove ${name}`} icon={<Trash2 aria-hidden />} onPress={onDelete} />
          </span>
        )}
      </div>
      {hook.enabled && hook.suspended !== null && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          <StateBadge state="paused" text="Suspended" />
          <span className="min-w-0 flex-1 basis-60 text-ink-2">{hook.suspended}</span>
          {canEdit && (
            <Button size="small" onPress={onConfirm}>
              Confirm <span className="sr-only">{name}</span>
            </Button>
          )}
        </div>
      )}
      <code className="block break-all text-ink-3 text-xs">
        {hasTemplate ? JSON.stringify(template) : 'without arguments'}
      </code>
    </li>
  );
}

interface HookDialogProps {
  botId: string;
  /** Each tool runs at most once after a call. */
  taken: readonly PostCallHook[];
  /** Left out for a new one. */
  saved?: PostCallHook;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

const placeholders = [
  '{{summary}}',
  '{{transcript}}',
  '{{conversation_id}}',
  '{{call.from_number}}',
  '{{call.to_number}}',
  '{{call.duration_seconds}}',
  '{{call.end_reason}}',
  // Everything that is known of the call.
  '{{call.*}}',
];

function HookDialog({ botId, taken, saved, onClose, onSaved }: HookDialogProps) {
  const { api } = useWorkspace();
  const choices = useRead(botToolChoicesQuery);
  const [toolId, setToolId] = useState(saved?.tool_configuration_id ?? null);
  const [text, setText] = useState(
    JSON.stringify(saved?.params_template ?? { note: '{{summary}}' }, null, 2),
  );
  const template = readObject(text);
  const form = useSubmit(
    async () => {
      const body = { params_template: template ?? {} };
      if (saved) await updateHook(api, botId, saved.id, body);
      else {
        const last = Math.max(-1, ...taken.map(({ run_order: order }) => order));
        await addHook(api, botId, { tool_configuration_id: toolId ?? '', run_order: last + 1, ...body });
      }
      await onSaved();
      onClose();
    },
    { params_template: text },
  );
  const free = (choices.data ?? []).flatMap(({ id, name, type, isActive }) =>
    id !== null && isActive && !taken.some((hook) => hook.tool_configuration_id === id)
      ? [{ value: id, label: name, description: type }]
      : [],
  );
  return (
    <FormDialog
      title={saved ? `${saved.tool_name} after calls` : 'Run a tool after calls'}
      action={saved ? 'Save' : 'Add'}
      isBusy={form.isBusy}
      isDisabled={toolId === null || template === undefined}
      error={form.error ?? choices.error}
      onSubmit={() => void form.submit()}
      onClose={onClose}
    >
      {!saved && (
        <Select
          label="Tool"
          placeholder={choices.data && free.length === 0 ? 'No other tool' : 'Choose a tool'}
          options={free}
          value={toolId}
          onChange={setToolId}
          description="Only tools of the workspace, each once."
        />
      )}
      <JsonEditor
        label="Arguments"
        text={text}
        onChange={setText}
        description="Sent to the tool. What stands in double braces is filled in for each call."
        error={
          form.at('params_template') ?? (template === undefined ? 'This is not a JSON object.' : undefined)
        }
      />
      <p className="text-ink-2 text-sm">
        Can be filled in:{' '}
        {placeholders.map((name, index) => (
          <span key={name}>
            {index > 0 && ', '}
            <code className="font-mono text-xs">{name}</code>
          </span>
        ))}
      </p>
    </FormDialog>
  );
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not finished yet.
    return undefined;
  }
}
