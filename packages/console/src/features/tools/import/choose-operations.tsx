import type { DiscoveredTools } from '@svc/contract/discover';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../kit/buttons.tsx';
import { Checkbox, TextField } from '../../../kit/fields.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';

/** As many as the service drafts at once. */
const maxChosen = 20;
/** More checkboxes would make every key that is typed above them slow. */
const maxShown = 100;

interface ChooseOperationsProps {
  operations: NonNullable<DiscoveredTools['operations']>;
  onChosen: (operations: string[]) => Promise<void>;
}

/** The operations of a long document, to choose from. */
export function ChooseOperations({ operations, onChosen }: ChooseOperationsProps) {
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const drafting = useMutation({ mutationFn: () => onChosen([...chosen]) });
  const wanted = filter.trim().toLowerCase();
  const matching = operations.filter(({ method, path, summary }) =>
    `${method} ${path} ${summary}`.toLowerCase().includes(wanted),
  );
  return (
    <section aria-label="Operations" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label={`Find among ${operations.length} operations`}
          type="search"
          value={filter}
          onChange={setFilter}
          className="min-w-48 flex-1"
        />
        <Button
          look="primary"
          isDisabled={chosen.length === 0 || chosen.length > maxChosen}
          isBusy={drafting.isPending}
          onPress={() => drafting.mutate()}
        >
          Continue with {chosen.length}
        </Button>
      </div>
      {chosen.length > maxChosen && (
        <p role="alert" className="text-danger-ink text-sm">
          Choose at most {maxChosen} at once; you can import more afterwards.
        </p>
      )}
      {drafting.error && <InlineError error={drafting.error} />}
      <ul className="flex flex-col">
        {matching.slice(0, maxShown).map(({ method, path, summary }) => {
          const name = `${method} ${path}`;
          return (
            <li key={name} className="border-line border-b py-1.5">
              <Checkbox
                isSelected={chosen.includes(name)}
                onChange={(isChosen) =>
                  setChosen(isChosen ? [...chosen, name] : chosen.filter((one) => one !== name))
                }
              >
                <code className="break-all text-sm">{name}</code>
                <span className="block text-ink-3 text-sm">{summary}</span>
              </Checkbox>
            </li>
          );
        })}
      </ul>
      {matching.length > maxShown && (
        <p className="text-ink-3 text-sm">{matching.length - maxShown} more: narrow them down above.</p>
      )}
    </section>
  );
}
