import { PageLink } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { RadioGroup, Switch, TextField } from '../../../kit/fields.tsx';
import { EmptyState } from '../../../kit/placeholders.tsx';
import type { FieldSchema } from '../../../kit/schema-fields.ts';
import { JsonField } from '../../../kit/schema-form.tsx';
import { jsonText, UnreadableJson } from '../../../kit/unreadable-json.ts';
import { ScheduleField } from '../../runs/schedule-field.tsx';
import type { FormOutput } from './bot-form.ts';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';

/** When an Autonomous Agent runs on its own. */
export function ScheduleTab() {
  const { bot, form, change, changeSetting, canEdit, errorAt } = useBotEditor();
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
    <>
      <FormSection>
        {form.schedule !== null && !form.agent_goal?.trim() && (
          <p className="rounded-md bg-warning-tint px-3 py-2 text-sm text-warning-ink">
            Without a goal the schedule starts nothing.{' '}
            <PageLink path={`/bots/${bot.id}/prompt`} className="underline">
              Write its goal
            </PageLink>
          </p>
        )}
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
      <OutputSection />
    </>
  );
}

const formats = [
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
] as const;

/** What a run returns at its end, and who gets it. */
function OutputSection() {
  const { form, change, canEdit, errorAt } = useBotEditor();
  const output: FormOutput = form.output_config ?? { format: 'text' };
  const { schema } = output;

  function set({ format = output.format, ...part }: Partial<FormOutput>, cleared?: keyof FormOutput): void {
    const { format: _before, ...others } = { ...output, ...part };
    if (cleared !== undefined && cleared !== 'format') delete others[cleared];
    const isPlain = format === 'text' && Object.keys(others).length === 0;
    change({ output_config: isPlain ? null : { format, ...others } });
  }

  return (
    <FormSection title="When a run ends">
      <RadioGroup
        label="Its result"
        isInline
        options={formats}
        value={output.format}
        onChange={(format) => set({ format }, format === 'text' ? 'schema' : undefined)}
        isDisabled={!canEdit}
        error={errorAt('output_config.format')}
      />
      {output.format === 'json' && (
        <JsonField
          label="JSON Schema of the result"
          description="Empty: any JSON. A result that does not fit is asked for again."
          value={schema}
          onChange={(value) => (value === undefined ? set({}, 'schema') : set({ schema: readSchema(value) }))}
          isReadOnly={!canEdit}
          error={errorAt('output_config.schema')}
        />
      )}
      <TextField
        label="Webhook"
        type="url"
        isCode
        placeholder="https://example.com/runs"
        description="Gets how the run ended and its result, signed: Settings, Webhooks shows the secret."
        value={output.webhook_url ?? ''}
        onChange={(url) => (url.trim() === '' ? set({}, 'webhook_url') : set({ webhook_url: url.trim() }))}
        isReadOnly={!canEdit}
        error={errorAt('output_config.webhook_url')}
      />
    </FormSection>
  );
}

function readSchema(value: unknown): NonNullable<FormOutput['schema']> {
  if (value instanceof UnreadableJson) return value;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as FieldSchema) : new UnreadableJson(jsonText(value), 'must be a JSON object');
}
