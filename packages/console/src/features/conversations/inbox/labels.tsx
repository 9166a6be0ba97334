import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { Tag } from 'lucide-react';
import { useContext, useState } from 'react';
import { OverlayTriggerStateContext } from 'react-aria-components';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { TextField } from '../../../kit/fields.tsx';
import { NameText } from '../../../kit/labels.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { Popover } from '../../../kit/popover.tsx';
import { useInboxChange } from './inbox-bar.tsx';

/** Words by which the team sorts conversations. */
export function LabelChips({ labels }: { labels: readonly string[] }) {
  return labels.map((label) => (
    <span key={label} className="max-w-48 truncate rounded-sm bg-sunken px-1.5 text-ink-2 text-xs">
      <NameText text={label} />
    </span>
  ));
}

/** Those of a conversation, with a button for people who may change them. */
export function Labels({ conversation }: { conversation: ConsoleConversation }) {
  const { can } = useWorkspace();
  return (
    <>
      <LabelChips labels={conversation.labels} />
      {can('operator') && (
        <Popover
          label="Labels"
          trigger={
            <IconButton
              label={conversation.labels.length === 0 ? 'Add label' : 'Edit labels'}
              icon={<Tag aria-hidden />}
              className="size-6"
            />
          }
        >
          <LabelForm conversation={conversation} />
        </Popover>
      )}
    </>
  );
}

function LabelForm({ conversation: { id, labels } }: { conversation: ConsoleConversation }) {
  const [text, setText] = useState(labels.join(', '));
  const popover = useContext(OverlayTriggerStateContext);
  const change = useInboxChange(id);
  return (
    <form
      className="flex w-72 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ labels: labelsIn(text) }, { onSuccess: () => popover?.close() });
      }}
    >
      <TextField label="Labels" description="Separated by commas" autoFocus value={text} onChange={setText} />
      {change.error && <InlineError error={change.error} />}
      <Button type="submit" size="small" look="primary" isBusy={change.isPending} className="self-start">
        Save
      </Button>
    </form>
  );
}

function labelsIn(text: string): string[] {
  return [...new Set(text.split(',').map((label) => label.trim()))].filter(Boolean);
}
