import { AudioLines } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { catalogQuery, numbersQuery } from '../../../api/voice.ts';
import { TextLink, useRead, useSearchState } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Dialog } from '../../../kit/dialogs.tsx';
import { Select, TextField } from '../../../kit/fields.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { BarLoading, InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { groupVoices, splitVoiceId } from '../../voice/catalog-groups.ts';
import { VoiceList } from '../../voice/voice-list.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';
import { HookSection } from './hooks/hook-section.tsx';
import { NumberSetting, SwitchSetting, TextAreaSetting, TextSetting } from './setting-fields.tsx';

const providers = [
  { value: 'none', label: 'On this service', description: 'Needs no key: npm run voice:install.' },
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
      <FormSection title="On calls">
        <SwitchSetting
          name="end_call_enabled"
          label="May hang up"
          description="The bot ends the call when the conversation is over."
        />
        <SwitchSetting name="call_transfer_enabled" label="May transfer the caller" />
        {settings.call_transfer_enabled && (
          <TextSetting
            name="call_transfer_number"
            label="Number for transfers"
            type="tel"
            placeholder="+49 221 123456"
            description="By default in the country of the bot’s number; Voice → Numbers says where else calls can go."
            className="max-w-60"
          />
        )}
        <SwitchSetting
          name="outbound_calls_enabled"
          label="May place calls"
          description="By the API, or with “Call me” under Voice."
        />
        <SwitchSetting
          name="keypad_masking"
          label="Mask what callers enter on the keypad"
          description={
            <>
              The digits are hidden in transcripts and traces and from the model, which can still hand them to
              a tool with a placeholder like <code className="text-xs">[keypad:1]</code>.
            </>
          }
        />
        <NumberSetting
          name="max_call_seconds"
          label="Longest call, in seconds"
          isInteger
          className="max-w-60"
        />
      </FormSection>
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
