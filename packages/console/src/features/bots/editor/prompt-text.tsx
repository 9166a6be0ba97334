import { assemblePrompt } from '@svc/contract/assemble-prompt';
import { count } from '../../../format/numbers.ts';
import { Button } from '../../../kit/buttons.tsx';
import { TextAreaField } from '../../../kit/fields.tsx';
import { useBotEditor } from './editor-context.tsx';

/** The instructions as the model reads them. */
export function PromptText({ onUseBuilder }: { onUseBuilder: () => void }) {
  const { form, change, canEdit, errorAt } = useBotEditor();
  const { prompt_builder: builder, system_prompt: text } = form;
  const isOwn = builder !== null && text !== assemblePrompt(builder);
  return (
    <section className="flex min-w-0 flex-col gap-2 px-4 py-4 md:px-6 md:py-5">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">{builder ? 'What it reads' : 'Prompt'}</h2>
        {!builder && canEdit && (
          <Button size="small" look="quiet" onPress={onUseBuilder}>
            Use the prompt builder
          </Button>
        )}
      </div>
      {isOwn && (
        <div className="flex flex-wrap items-center gap-2 rounded-md bg-info-tint px-3 py-2 text-info-ink text-sm">
          <span className="min-w-0 flex-1 basis-48">
            This text was edited by hand: changes in the builder do not reach it.
          </span>
          {canEdit && (
            <Button
              size="small"
              isDisabled={assemblePrompt(builder) === ''}
              onPress={() => change({ system_prompt: assemblePrompt(builder) })}
            >
              Use the builder's text
            </Button>
          )}
        </div>
      )}
      <TextAreaField
        label="Prompt"
        hideLabel
        placeholder="You help the customers of Acme. Answer briefly, and only from what you know."
        minRows={12}
        maxRows={60}
        value={text}
        onChange={(system_prompt) => change({ system_prompt })}
        isReadOnly={!canEdit}
        error={errorAt('system_prompt') ?? errorAt('prompt_builder')}
      />
      <p className="text-ink-3 text-xs">{count(text.length)} characters</p>
    </section>
  );
}
