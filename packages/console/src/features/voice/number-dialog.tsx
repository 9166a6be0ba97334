import type { VoiceReport } from '@svc/contract/console-voice';
import type { VoiceNumber } from '@svc/contract/voice-numbers';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { keys } from '../../api/client.ts';
import { addNumber, catalogQuery, updateNumber } from '../../api/voice.ts';
import { useSubmit } from '../../app/use-submit.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { FormDialog } from '../../kit/dialogs.tsx';
import { Select, Switch, TextAreaField, TextField } from '../../kit/fields.tsx';
import { describeVoice } from './catalog-groups.ts';
import { describeFreeNumbers } from './dial-texts.ts';

interface NumberDialogProps {
  /** Left out for a new one. */
  saved?: VoiceNumber;
  /** Undefined while it is loading. */
  voice: VoiceReport | undefined;
  onClose: () => void;
}

const fields = ['phone_number', 'bot_id', 'greeting', 'tts_voice'];
const ownVoice = 'own';

export function NumberDialog({ saved, voice: report, onClose }: NumberDialogProps) {
  const transport = report?.transport ?? null;
  const { api } = useWorkspace();
  const client = useQueryClient();
  const bots = useQuery(botsQuery(api));
  const voices = useQuery(catalogQuery(api));
  const [phoneNumber, setPhoneNumber] = useState('');
  const [botId, setBotId] = useState(saved?.bot_id ?? null);
  const [greeting, setGreeting] = useState(saved?.greeting ?? '');
  const [voice, setVoice] = useState(saved?.tts_voice ?? ownVoice);
  const [canCall, setCanCall] = useState(false);

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
  }, fields);

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
