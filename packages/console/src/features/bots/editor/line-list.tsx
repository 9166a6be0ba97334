import { Plus, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { TextAreaField } from '../../../kit/fields.tsx';
import { useBotEditor } from './editor-context.tsx';

interface LineListProps {
  label: string;
  /** One of them, for the names of buttons. */
  one: string;
  placeholder: string;
  lines: readonly string[];
  onChange: (lines: string[]) => void;
  /** Where the service reports their errors. */
  path: string;
}

/** Sentences that can be added, changed and removed one by one. */
export function LineList({ label, one, placeholder, lines, onChange, path }: LineListProps) {
  const { canEdit, errorAt } = useBotEditor();
  const title = useId();
  const list = useRef<HTMLUListElement>(null);
  const focusLine = (index: number) =>
    requestAnimationFrame(() => list.current?.querySelectorAll('textarea')[index]?.focus());

  function add(): void {
    onChange([...lines, '']);
    focusLine(lines.length);
  }

  function remove(index: number): void {
    onChange(lines.filter((_line, at) => at !== index));
    focusLine(Math.max(0, index - 1));
  }

  return (
    <section aria-labelledby={title} className="flex flex-col gap-2">
      <div className="flex items-center justify-between">
        <h3 id={title} className="font-medium text-sm">
          {label}
        </h3>
        {canEdit && (
          <Button size="small" look="quiet" icon={<Plus aria-hidden />} onPress={add}>
            Add {one}
          </Button>
        )}
      </div>
      {lines.length > 0 && (
        <ul ref={list} className="flex flex-col gap-2">
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity besides their place
            <li key={index} className="flex items-start gap-1">
              <TextAreaField
                label={`${one} ${index + 1}`}
                hideLabel
                placeholder={placeholder}
                minRows={1}
                value={line}
                onChange={(next) => onChange(lines.with(index, next))}
                isReadOnly={!canEdit}
                error={errorAt(`${path}.${index}`)}
                className="flex-1"
              />
              {canEdit && (
                <IconButton
                  label={`Remove ${one} ${index + 1}`}
                  icon={<X aria-hidden />}
                  onPress={() => remove(index)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
