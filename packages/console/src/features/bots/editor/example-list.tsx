import type { PromptBuilder } from '@svc/contract/bots';
import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { TextAreaField } from '../../../kit/fields.tsx';
import { useBotEditor } from './editor-context.tsx';

type Example = NonNullable<PromptBuilder['examples']>[number];

interface ExampleListProps {
  examples: readonly Example[];
  onChange: (examples: Example[]) => void;
}

/** Exchanges that show the model how to answer. */
export function ExampleList({ examples, onChange }: ExampleListProps) {
  const { canEdit, errorAt } = useBotEditor();
  const set = (index: number, part: Partial<Example>) =>
    onChange(examples.map((example, at) => (at === index ? { ...example, ...part } : example)));
  return (
    <section aria-label="Examples" className="flex flex-col gap-2">
      <div className="flex items-center justify-between">
        <h3 className="font-medium text-sm">Examples</h3>
        {canEdit && (
          <Button
            size="small"
            look="quiet"
            icon={<Plus aria-hidden />}
            onPress={() => onChange([...examples, { user: '', assistant: '' }])}
          >
            Add example
          </Button>
        )}
      </div>
      {examples.map((example, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: examples have no identity besides their place
        <div key={index} className="flex items-start gap-1 border-line border-t pt-2">
          <div className="flex min-w-0 flex-1 flex-col gap-2">
            <TextAreaField
              label="When somebody writes"
              minRows={1}
              value={example.user}
              onChange={(user) => set(index, { user })}
              isReadOnly={!canEdit}
              error={errorAt(`prompt_builder.examples.${index}.user`)}
            />
            <TextAreaField
              label="Answer like this"
              minRows={1}
              value={example.assistant}
              onChange={(assistant) => set(index, { assistant })}
              isReadOnly={!canEdit}
              error={errorAt(`prompt_builder.examples.${index}.assistant`)}
            />
          </div>
          {canEdit && (
            <IconButton
              label={`Remove example ${index + 1}`}
              icon={<X aria-hidden />}
              onPress={() => onChange(examples.filter((_one, at) => at !== index))}
            />
          )}
        </div>
      ))}
    </section>
  );
}
