import { Button } from '../../../kit/buttons.tsx';
import { Switch } from '../../../kit/fields.tsx';
import { EmptyState } from '../../../kit/placeholders.tsx';
import { ScheduleField } from '../../runs/schedule-field.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';

/** When an Autonomous Agent runs on its own. */
export function ScheduleTab() {
  const { form, change, changeSetting, canEdit, errorAt } = useBotEditor();
  if (form.bot_type !== 'agent') {
    return (
      <EmptyState
        title="Only Autonomous Agents run on a schedule"
        action={
          canEdit && (
            <Button onPress={() => change({ bot_type: 'agent' })}>Make it an Autonomous Agent</Button>
          )
        }
      >
        An agent answers people. An Autonomous Agent pursues its goal on its own, such as checking the stock
        every morning.
      </EmptyState>
    );
  }
  return (
    <FormSection>
      <ScheduleField
        value={form.schedule}
        onChange={(schedule) => change({ schedule: schedule || null })}
        isReadOnly={!canEdit}
        error={errorAt('schedule')}
      />
      <Switch
        label="One conversation for all runs"
        description="Every run continues the same conversation and remembers the runs before. Otherwise each run has its own."
        isOn={form.settings.persistent_conversation ?? false}
        onChange={(isOn) => changeSetting('persistent_conversation', isOn)}
        isDisabled={!canEdit}
      />
    </FormSection>
  );
}
