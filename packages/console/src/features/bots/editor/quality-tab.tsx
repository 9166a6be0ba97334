import { PageLink } from '../../../app/page-links.tsx';
import { ApprovalNoticeFields } from './approval-notice-fields.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';
import { SwitchSetting } from './setting-fields.tsx';

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
  const { bot } = useBotEditor();
  return (
    <>
      <FormSection>
        {flags.map((flag) => (
          <SwitchSetting key={flag.name} {...flag} />
        ))}
        <PageLink
          path="/quality"
          search={{ bot: bot.id }}
          className="w-fit text-accent-ink text-sm underline"
        >
          Scores and verdicts of this bot
        </PageLink>
      </FormSection>
      <ApprovalNoticeFields />
    </>
  );
}
