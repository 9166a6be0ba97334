import type { ApprovalNotice } from '@svc/contract/bots';
import { TextField } from '../../../kit/text-field.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';

/** Where people are notified when a call of this bot waits for approval. */
export function ApprovalNoticeFields() {
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
