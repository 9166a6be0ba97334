import type { PromptBuilder } from '@svc/contract/bots';
import { Button } from '../../../kit/buttons.tsx';
import { TextAreaField, TextField } from '../../../kit/fields.tsx';
import { useBotEditor } from './editor-context.tsx';
import { ExampleList } from './example-list.tsx';
import { LineList } from './line-list.tsx';

interface PromptBuilderFormProps {
  builder: PromptBuilder;
  onChange: (builder: PromptBuilder) => void;
  onRemove: () => void;
}

/** The instructions in parts, from which their text is assembled. */
export function PromptBuilderForm({ builder, onChange, onRemove }: PromptBuilderFormProps) {
  const { canEdit, errorAt } = useBotEditor();
  const set = <Name extends keyof PromptBuilder>(name: Name, value: PromptBuilder[Name]) => {
    const { [name]: _before, ...others } = builder;
    const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    onChange(isEmpty ? others : { ...others, [name]: value });
  };
  const text = (name: 'role' | 'goal' | 'tone' | 'language') => ({
    value: builder[name] ?? '',
    onChange: (value: string) => set(name, value),
    isReadOnly: !canEdit,
    error: errorAt(`prompt_builder.${name}`),
  });
  return (
    <section className="flex min-w-0 flex-col gap-4 border-line px-4 py-4 md:px-6 md:py-5 xl:border-r">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">Builder</h2>
        {canEdit && (
          <Button size="small" look="quiet" onPress={onRemove}>
            Write it yourself
          </Button>
        )}
      </div>
      <TextField label="Role" placeholder="the host of a small shop" {...text('role')} />
      <TextAreaField label="Goal" minRows={2} {...text('goal')} />
      <LineList
        label="Instructions"
        one="instruction"
        placeholder="Greet the visitor by name."
        lines={builder.instructions ?? []}
        onChange={(lines) => set('instructions', lines)}
        path="prompt_builder.instructions"
      />
      <LineList
        label="Rules"
        one="rule"
        placeholder="Answer in at most three sentences."
        lines={builder.constraints ?? []}
        onChange={(lines) => set('constraints', lines)}
        path="prompt_builder.constraints"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Tone" placeholder="friendly, brief" {...text('tone')} />
        <TextField label="Language" placeholder="the visitor's language" {...text('language')} />
      </div>
      <ExampleList examples={builder.examples ?? []} onChange={(examples) => set('examples', examples)} />
    </section>
  );
}
