import { Select } from '../../../kit/fields.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';
import { NumberSetting, SwitchSetting, TextAreaSetting, TextSetting } from './setting-fields.tsx';

const patiences = [
  { value: 'quick', label: 'Answer quickly', description: 'For short questions and answers.' },
  { value: 'normal', label: 'Wait a moment', description: 'Fits most conversations.' },
  { value: 'patient', label: 'Be patient', description: 'For callers who think aloud or spell things.' },
] as const;

const interruptions = [
  { value: 'speech', label: 'Stop and listen', description: 'As soon as a voice is heard.' },
  { value: 'words', label: 'Stop at words', description: 'Not at coughs and voices in the background.' },
  { value: 'never', label: 'Finish first', description: 'What they say is answered afterwards.' },
] as const;

/** What the bot may do on calls, and how it takes turns. */
export function CallSettings() {
  const { form, changeSetting, canEdit, errorAt } = useBotEditor();
  const { settings } = form;
  return (
    <>
      <FormSection title="On calls">
        <SwitchSetting
          name="end_call_enabled"
          label="May hang up"
          description="The bot ends the call when the conversation is over."
        />
        <SwitchSetting name="call_transfer_enabled" label="May transfer the caller" />
        {settings.call_transfer_enabled && (
          <>
            <TextSetting
              name="call_transfer_number"
              label="Number for transfers"
              type="tel"
              placeholder="+49 221 123456"
              description="By default in the country of the bot’s number; Voice → Numbers says where else calls can go."
              className="max-w-60"
            />
            <TextAreaSetting
              name="call_transfer_announcement"
              label="What the person is told first"
              minRows={1}
              placeholder="A customer of Acme is on the line."
              description="With what the caller wants. If it is empty, they are connected at once."
            />
          </>
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
        <SwitchSetting
          name="record_calls"
          label="Record calls"
          description="Both sides, beside the transcript. Callers are told before anything else is said."
        />
        {settings.record_calls && (
          <>
            <TextAreaSetting
              name="recording_announcement"
              label="What callers are told"
              minRows={1}
              placeholder="This call is recorded."
              description="By default in the language of the bot. Ask what the law of your callers wants to be said."
            />
            <NumberSetting
              name="recording_retention_days"
              label="Delete recordings after, in days"
              description="90 if it is empty."
              isInteger
              className="max-w-60"
            />
          </>
        )}
        <NumberSetting
          name="max_call_seconds"
          label="Longest call, in seconds"
          isInteger
          className="max-w-60"
        />
      </FormSection>
      <FormSection title="Taking turns">
        <Select
          label="When callers pause"
          options={patiences}
          value={settings.call_patience ?? 'normal'}
          onChange={(value) => changeSetting('call_patience', value === 'normal' ? undefined : value)}
          isDisabled={!canEdit}
          error={errorAt('call_patience')}
          className="max-w-80"
        />
        <Select
          label="When callers speak while the bot does"
          options={interruptions}
          value={settings.call_interruption ?? 'speech'}
          onChange={(value) => changeSetting('call_interruption', value === 'speech' ? undefined : value)}
          isDisabled={!canEdit}
          error={errorAt('call_interruption')}
          className="max-w-80"
        />
      </FormSection>
    </>
  );
}
