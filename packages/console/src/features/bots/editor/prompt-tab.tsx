import { assemblePrompt } from '@svc/contract/assemble-prompt';
import type { PromptBuilder } from '@svc/contract/bots';
import { TextAreaField } from '../../../kit/fields.tsx';
import { AboutFields } from './about-fields.tsx';
import { useBotEditor } from './editor-context.tsx';
import { PromptBuilderForm } from './prompt-builder-form.tsx';
import { PromptText } from './prompt-text.tsx';

/** What the bot is asked to do, and what it is. */
export function PromptTab() {
  const { form, change, canEdit, errorAt } = useBotEditor();
  const { prompt_builder: builder } = form;

  /** The text follows the builder, unless somebody has edited it. */
  function changeBuilder(next: PromptBuilder): void {
    const follows = builder === null || form.system_prompt === assemblePrompt(builder);
    change({ prompt_builder: next, ...(follows && { system_prompt: assemblePrompt(next) }) });
  }

  return (
    <div className="flex flex-col divide-y divide-line">
      <div className={builder ? 'grid xl:grid-cols-2' : ''}>
        {builder && (
          <PromptBuilderForm
            builder={builder}
            onChange={changeBuilder}
            onRemove={() => change({ prompt_builder: null })}
          />
        )}
        <PromptText onUseBuilder={() => changeBuilder({ instructions: linesOf(form.system_prompt) })} />
      </div>
      {form.bot_type === 'agent' && (
        <div className="px-4 py-4 md:px-6">
          <TextAreaField
            label="Goal"
            description="What every run works towards. A run ends when the goal is reached."
            value={form.agent_goal ?? ''}
            onChange={(goal) => change({ agent_goal: goal || null })}
            isReadOnly={!canEdit}
            error={errorAt('agent_goal')}
          />
        </div>
      )}
      <AboutFields />
    </div>
  );
}

/** Nothing of a prompt is lost when the builder takes it over. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^[-*]\s+/, '').trim())
    .filter((line) => line !== '');
}
