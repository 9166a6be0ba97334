import { NumberField } from '../../../kit/number-field.tsx';
import { Select } from '../../../kit/select.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { TextAreaField, TextField } from '../../../kit/text-field.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';

const providers = [
  { value: 'none', label: 'None', description: 'The bot does not speak.' },
  { value: 'elevenlabs', label: 'ElevenLabs' },
  { value: 'cartesia', label: 'Cartesia' },
] as const;

/** How the bot speaks, and what it may do on calls. */
export function VoiceTab() {
  const { form, changeSetting, canEdit, errorAt } = useBotEditor();
  const { settings } = form;
  return (
    <FormSection>
      <Select
        label="Speech provider"
        options={providers}
        value={settings.tts_provider ?? 'none'}
        onChange={(value) => changeSetting('tts_provider', value === 'none' ? undefined : value)}
        isDisabled={!canEdit}
        error={errorAt('tts_provider')}
        className="max-w-60"
      />
      <TextField
        label="Voice"
        description="The provider's id of the voice. It is checked when you save, if the provider has a key."
        isCode
        value={settings.tts_voice ?? ''}
        onChange={(value) => changeSetting('tts_voice', value)}
        isReadOnly={!canEdit}
        error={errorAt('tts_voice')}
      />
      <TextAreaField
        label="Greeting on calls"
        minRows={1}
        value={settings.voice_greeting ?? ''}
        onChange={(value) => changeSetting('voice_greeting', value)}
        isReadOnly={!canEdit}
        error={errorAt('voice_greeting')}
      />
      <Switch
        label="May hang up"
        description="The bot ends the call when the conversation is over."
        isOn={settings.end_call_enabled ?? false}
        onChange={(isOn) => changeSetting('end_call_enabled', isOn)}
        isDisabled={!canEdit}
      />
      <Switch
        label="May transfer the caller"
        isOn={settings.call_transfer_enabled ?? false}
        onChange={(isOn) => changeSetting('call_transfer_enabled', isOn)}
        isDisabled={!canEdit}
      />
      {settings.call_transfer_enabled && (
        <TextField
          label="Number for transfers"
          type="tel"
          placeholder="+49 221 123456"
          value={settings.call_transfer_number ?? ''}
          onChange={(value) => changeSetting('call_transfer_number', value)}
          isReadOnly={!canEdit}
          error={errorAt('call_transfer_number')}
          className="max-w-60"
        />
      )}
      <Switch
        label="May place calls"
        isOn={settings.outbound_calls_enabled ?? false}
        onChange={(isOn) => changeSetting('outbound_calls_enabled', isOn)}
        isDisabled={!canEdit}
      />
      <NumberField
        label="Longest call, in seconds"
        isInteger
        value={settings.max_call_seconds ?? undefined}
        onChange={(value) => changeSetting('max_call_seconds', value)}
        isReadOnly={!canEdit}
        error={errorAt('max_call_seconds')}
        className="max-w-60"
      />
    </FormSection>
  );
}
