import { ApiError } from '@svc/client/api-error';
import type { VoiceReport } from '@svc/contract/console-voice';
import type { VoiceNumber } from '@svc/contract/voice-numbers';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical, Phone, Plus } from 'lucide-react';
import { useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { keys } from '../../api/client.ts';
import {
  addNumber,
  catalogQuery,
  deleteNumber,
  numbersQuery,
  updateNumber,
  voiceQuery,
} from '../../api/voice.ts';
import { useSubmit } from '../../app/use-submit.ts';
import { PageLink, useRead, useWorkspace } from '../../app/workspace.tsx';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { ConfirmDialog, FormDialog } from '../../kit/dialogs.tsx';
import { Select, Switch, TextAreaField, TextField } from '../../kit/fields.tsx';
import { NameText, StateBadge } from '../../kit/labels.tsx';
import { Menu } from '../../kit/menu.tsx';
import { EmptyState, InlineError, LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { describeVoice } from './catalog-groups.ts';
import { describeFreeNumbers } from './dial-texts.ts';
import { DialRules, TwilioWebhooks, VoiceNotice } from './voice-notice.tsx';
import { VoicePage } from './voice-page.tsx';

type Task = { kind: 'add' } | { kind: 'edit' | 'delete'; number: VoiceNumber };

/** Which bot answers which number, and which number it calls from. */
export function NumbersPage() {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const numbers = useRead(numbersQuery);
  const { data: voice } = useRead(voiceQuery);
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const refresh = () => client.invalidateQueries({ queryKey: keys.lists(api, 'number') });
  const choosing = useMutation({
    mutationFn: (number: VoiceNumber) => updateNumber(api, number.id, { is_outbound_primary: true }),
    onSuccess: refresh,
  });
  const add = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setTask({ kind: 'add' })}>
      Add a number
    </Button>
  );
  return (
    <VoicePage tab="numbers" actions={can('operator') && numbers.data && numbers.data.length > 0 && add}>
      <VoiceNotice isFolded={numbers.data !== undefined && numbers.data.length > 0} />
      {voice?.webhooks && <TwilioWebhooks webhooks={voice.webhooks} />}
      {voice && voice.transport !== null && <DialRules dialing={voice.dialing} />}
      {choosing.error && (
        <div className="px-4 py-3 md:px-6">
          <InlineError error={explain(choosing.error, choosing.variables)} />
        </div>
      )}
      {numbers.isPending && <RowsLoading rows={3} />}
      {numbers.isError && <LoadError query={numbers} />}
      {numbers.data?.length === 0 && (
        <EmptyState
          icon={<Phone aria-hidden />}
          title="No number leads to a bot yet"
          action={can('operator') && add}
        >
          Add a number of your telephone account and choose who answers it: callers of +1 202 555 0100 then
          talk to “Support”. The same number can show when the bot calls somebody.
        </EmptyState>
      )}
      {numbers.data && (
        <NumberTable numbers={numbers.data} onTask={setTask} onChoose={(number) => choosing.mutate(number)} />
      )}
      {task?.kind === 'add' && <NumberDialog voice={voice} onClose={close} />}
      {task?.kind === 'edit' && <NumberDialog saved={task.number} voice={voice} onClose={close} />}
      {task?.kind === 'delete' && (
        <ConfirmDialog
          title={`Delete ${task.number.phone_number}?`}
          action="Delete"
          onClose={close}
          onConfirm={async () => {
            await deleteNumber(api, task.number.id);
            await refresh();
          }}
        >
          <p>
            {task.number.bot_name} no longer answers it
            {task.number.is_outbound_primary && ', and cannot place calls until it has another number'}. Calls
            under way continue, and past calls stay. The number itself stays in your telephone account.
          </p>
        </ConfirmDialog>
      )}
    </VoicePage>
  );
}

/** A number that cannot place calls needs more than the service's sentence. */
function explain(error: unknown, number: VoiceNumber | undefined): unknown {
  if (!(error instanceof ApiError) || error.status !== 422 || !number) return error;
  return `${number.phone_number} cannot place calls, so it cannot be the number that ${number.bot_name} calls from. At Twilio, the number must belong to the account and allow voice calls. On a SIP trunk, delete it and add it again with “Can place calls”.`;
}

interface NumberTableProps {
  numbers: readonly VoiceNumber[];
  onTask: (task: Task) => void;
  /** Makes it the one that its bot calls from. */
  onChoose: (number: VoiceNumber) => void;
}

function NumberTable({ numbers, onTask, onChoose }: NumberTableProps) {
  const { can } = useWorkspace();
  const columns: Column<VoiceNumber>[] = [
    {
      title: 'Number',
      className: 'whitespace-nowrap',
      cell: (number) => (
        <span className="flex flex-col py-1">
          <span className="font-medium tabular-nums">{number.phone_number}</span>
          <span className="md:hidden">
            <Outbound number={number} />
          </span>
        </span>
      ),
    },
    {
      title: 'Answered by',
      className: 'max-w-0 w-1/4',
      cell: ({ bot_id: id, bot_name: name }) => (
        <PageLink path={`/bots/${id}/voice`} className="block truncate hover:underline" title={name}>
          <NameText text={name} />
        </PageLink>
      ),
    },
    {
      title: 'Greeting',
      isSecondary: true,
      className: 'max-w-0 w-1/4',
      cell: ({ greeting }) => <Own text={greeting} />,
    },
    {
      title: 'Voice',
      isSecondary: true,
      className: 'max-w-0 w-1/6',
      cell: ({ tts_voice: voice }) => <Own text={voice} />,
    },
    {
      title: 'Placing calls',
      isSecondary: true,
      cell: (number) => <Outbound number={number} />,
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      isNumber: true,
      cell: (number) =>
        can('operator') && (
          <Menu
            label={`Actions for ${number.phone_number}`}
            entries={[
              { label: 'Change…', onAction: () => onTask({ kind: 'edit', number }) },
              !number.is_outbound_primary && {
                label: `Call from this number`,
                description: `${number.bot_name} shows it to those it calls`,
                onAction: () => onChoose(number),
              },
              {
                label: 'Delete…',
                isDangerous: true,
                isFirstOfGroup: true,
                onAction: () => onTask({ kind: 'delete', number }),
              },
            ]}
          >
            <IconButton
              label={`Actions for ${number.phone_number}`}
              icon={<EllipsisVertical aria-hidden />}
            />
          </Menu>
        ),
    },
  ];
  return (
    <DataTable label="Numbers" columns={columns} rows={numbers} keyOf={({ id }) => id} isLinked={false} />
  );
}

function Own({ text }: { text: string | null }) {
  if (text === null) return <span className="text-ink-3">the bot’s own</span>;
  return (
    <span className="block truncate" title={text}>
      {text}
    </span>
  );
}

function Outbound({ number }: { number: VoiceNumber }) {
  if (number.is_outbound_primary) return <StateBadge state="success" text="calls from here" />;
  return (
    <span className="whitespace-nowrap text-ink-3 text-sm">
      {number.outbound_capable ? 'can place calls' : 'answers only'}
    </span>
  );
}

interface NumberDialogProps {
  /** Left out for a new one. */
  saved?: VoiceNumber;
  /** Undefined while it is loading. */
  voice: VoiceReport | undefined;
  onClose: () => void;
}

const ownVoice = 'own';

function NumberDialog({ saved, voice: report, onClose }: NumberDialogProps) {
  const transport = report?.transport ?? null;
  const { api } = useWorkspace();
  const client = useQueryClient();
  const bots = useRead(botsQuery);
  const voices = useRead(catalogQuery);
  const [phoneNumber, setPhoneNumber] = useState('');
  const [botId, setBotId] = useState(saved?.bot_id ?? null);
  const [greeting, setGreeting] = useState(saved?.greeting ?? '');
  const [voice, setVoice] = useState(saved?.tts_voice ?? ownVoice);
  const [canCall, setCanCall] = useState(false);

  const values = { phone_number: phoneNumber, bot_id: botId, greeting, tts_voice: voice };
  const form = useSubmit(async () => {
    const settings = {
      bot_id: botId ?? '',
      greeting: greeting.trim() || null,
      tts_voice: voice === ownVoice ? null : voice,
    };
    if (saved) await updateNumber(api, saved.id, settings);
    else
      await addNumber(api, {
        phone_number: phoneNumber.replaceAll(/[\s()./-]/g, ''),
        ...settings,
        ...(transport === 'sip' && { outbound_capable: canCall }),
      });
    await client.invalidateQueries({ queryKey: keys.lists(api, 'number') });
    onClose();
  }, values);

  const known = voices.data ?? [];
  const offered = [
    { value: ownVoice, label: 'The bot’s own' },
    ...known.map((one) => ({ value: one.id, label: one.name, description: describeVoice(one) })),
    ...(voice === ownVoice || known.some(({ id }) => id === voice) ? [] : [{ value: voice, label: voice }]),
  ];
  const isComplete = botId !== null && (saved !== undefined || phoneNumber.trim() !== '');
  return (
    <FormDialog
      title={saved ? `Change ${saved.phone_number}` : 'Add a number'}
      action={saved ? 'Save' : 'Add'}
      isBusy={form.isBusy}
      isDisabled={!isComplete}
      error={form.error}
      onSubmit={() => void form.submit()}
      onClose={onClose}
    >
      {!saved && (
        <TextField
          label="Phone number"
          type="tel"
          autoFocus
          placeholder="+1 202 555 0100"
          description={describeFreeNumbers(report?.free_numbers ?? null)}
          value={phoneNumber}
          onChange={setPhoneNumber}
          error={form.at('phone_number')}
        />
      )}
      <Select
        label="Answered by"
        placeholder="Choose a bot"
        options={(bots.data ?? [])
          .filter(({ id, status }) => status === 'active' || id === botId)
          .map(({ id, name }) => ({ value: id, label: name }))}
        value={botId}
        onChange={setBotId}
        error={form.at('bot_id')}
      />
      <TextAreaField
        label="Greeting"
        minRows={1}
        placeholder="The bot’s own greeting"
        value={greeting}
        onChange={setGreeting}
        error={form.at('greeting')}
      />
      <Select
        label="Voice"
        options={offered}
        value={voice}
        onChange={setVoice}
        error={form.at('tts_voice')}
        description="The catalog has a sample of each."
      />
      {!saved && transport === 'sip' && (
        <Switch
          label="Can place calls"
          description="Your carrier lets this number be shown to the people who are called."
          isOn={canCall}
          onChange={setCanCall}
        />
      )}
    </FormDialog>
  );
}
