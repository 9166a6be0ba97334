import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useState } from 'react';
import { Button } from '../../../kit/buttons.tsx';
import { TextField } from '../../../kit/fields.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { useInboxChange } from './inbox-bar.tsx';

/** Words by which the team sorts conversations. */
export function LabelField({ conversation }: { conversation: ConsoleConversation }) {
  const { id, labels } = conversation;
  const current = labels.join(', ');
  const [typed, setTyped] = useState<string>();
  const change = useInboxChange(id);
  const text = typed ?? current;

  return (
    <form
      className="flex flex-col gap-2 border-line border-t p-4"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ labels: labelsIn(text) }, { onSuccess: () => setTyped(undefined) });
      }}
    >
      <TextField
        label="Labels"
        description="Separated by commas"
        value={text}
        onChange={setTyped}
        after={
          text !== current && (
            <Button type="submit" size="small" isBusy={change.isPending}>
              Save
            </Button>
          )
        }
      />
      {change.error && <InlineError error={change.error} />}
    </form>
  );
}

function labelsIn(text: string): string[] {
  return [...new Set(text.split(',').map((label) => label.trim()))].filter(Boolean);
}
