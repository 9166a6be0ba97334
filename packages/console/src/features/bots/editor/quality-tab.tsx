import type { ApprovalNotice } from '@svc/contract/bots';
import { TextLink } from '../../../app/workspace.tsx';
import { TextField } from '../../../kit/fields.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';
import { SwitchSetting, TextAreaSetting } from './setting-fields.tsx';

const flags = [
  {
    name: 'enable_agent_tracing',
    label: 'Trace every turn',
    description: 'Records the input and output of every step. Costs storage, but no model calls and no time.',
  },
  {
    name: 'enable_confidence_scoring',
    label: 'Grade replies before they are sent',
    description:
      'A reply below 0.3 is replaced by an honest “I do not know”. Costs one more model call per reply, and visitors see no text until the reply is complete.',
  },
  {
    name: 'enable_response_validation',
    label: 'Check answers against their sources',
    description:
      'In the background, for replies that used any: claims without support are marked on the Quality page. Costs one more model call per such reply; the answer never changes.',
  },
] as const;

/** What is recorded and checked, and what it costs. */
export function QualityTab() {
  const { bot, form } = useBotEditor();
  return (
    <>
      <FormSection>
        {flags.map((flag) => (
          <SwitchSetting key={flag.name} {...flag} />
        ))}
        {form.settings.enable_confidence_scoring && (
          <TextAreaSetting
            name="safe_message"
            label="Sent instead of a reply below 0.3"
            description="Left empty: a sentence in the language of the conversation."
            minRows={1}
            placeholder="I do not have enough reliable information to answer that."
          />
        )}
        <TextLink path="/quality" search={{ bot: bot.id }} className="w-fit text-sm">
          Scores and verdicts of this bot
        </TextLink>
      </FormSection>
      <ApprovalNoticeFields />
    </>
  );
}

/** Where people are notified when a call of this bot waits for approval. */
function ApprovalNoticeFields() {
  const { form, changeSetting, canEdit, errorAt } = useBotEditor();
  const notice = form.settings.approval_notice ?? {};
  function set(name: keyof ApprovalNotice, value: string): void {
    const { [name]: _before, ...others } = notice;
    const next = value.trim() === '' ? others : { ...others, [name]: value.trim() };
    changeSetting('approval_notice', Object.keys(next).length > 0 ? next : undefined);
  }
  return (
    <FormSection title="When a call waits for approval">
      <p className="text-ink-2 text-sm">
        Everybody sees it under Approvals. A notice contains a link with which whoever receives it can answer
        without signing in.
      </p>
      <TextField
        label="Email"
        type="email"
        placeholder="approvals@example.com"
        value={notice.email ?? ''}
        onChange={(value) => set('email', value)}
        isReadOnly={!canEdit}
        error={errorAt('approval_notice.email')}
      />
      <TextField
        label="Webhook"
        type="url"
        isCode
        placeholder="https://example.com/approvals"
        value={notice.webhook_url ?? ''}
        onChange={(value) => set('webhook_url', value)}
        isReadOnly={!canEdit}
        error={errorAt('approval_notice.webhook_url') ?? errorAt('approval_notice')}
      />
    </FormSection>
  );
}
