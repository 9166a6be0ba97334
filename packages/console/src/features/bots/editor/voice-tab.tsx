import { Select } from '../../../kit/select.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';
import { NumberSetting, SwitchSetting, TextAreaSetting, TextSetting } from './setting-fields.tsx';

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
      <TextSetting
        name="tts_voice"
        label="Voice"
        description="The provider's id of the voice. It is checked when you save, if the provider has a key."
        isCode
      />
      <TextAreaSetting name="voice_greeting" label="Greeting on calls" minRows={1} />
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
          className="max-w-60"
        />
      )}
      <SwitchSetting name="outbound_calls_enabled" label="May place calls" />
      <NumberSetting
        name="max_call_seconds"
        label="Longest call, in seconds"
        isInteger
        className="max-w-60"
      />
    </FormSection>
  );
}
