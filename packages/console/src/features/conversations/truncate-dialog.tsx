import type { ConsoleConversation } from '@svc/contract/console-conversation';
import type { Truncated } from '@svc/contract/truncate';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { truncate, truncatePreviewQuery } from '../../api/conversation.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { plural } from '../../format/numbers.ts';
import { ConfirmDialog } from '../../kit/dialogs.tsx';
import { Checkbox } from '../../kit/fields.tsx';
import { Bar, InlineError } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';

interface TruncateDialogProps {
  conversation: ConsoleConversation;
  messageId: string;
  onClose: () => void;
}

/** Says what cannot be undone before anything is removed. */
export function TruncateDialog({ conversation, messageId, onClose }: TruncateDialogProps) {
  const { api } = useWorkspace();
  const [revertsFiles, setRevertsFiles] = useState(false);
  const preview = useQuery(truncatePreviewQuery(api, conversation.id, messageId));
  const machineCalls = conversation.calls.filter(({ tool_type: type }) => type === 'coding');

  async function remove(): Promise<void> {
    const body = { message_id: messageId, ...(revertsFiles && { revert_files: true }) };
    const { removed_messages: removed } = await truncate(api, conversation.id, body);
    notify({ text: `${plural(removed, 'message')} removed.` });
  }

  return (
    <ConfirmDialog
      title="Remove everything after this message?"
      action="Remove"
      onClose={onClose}
      onConfirm={remove}
    >
      {preview.data ? <Consequences preview={preview.data} /> : <Bar className="w-2/3" />}
      {preview.error && <InlineError error={preview.error} onRetry={() => void preview.refetch()} />}
      {conversation.status === 'running' && (
        <p className="text-warning-ink">The bot is still answering: stop it first.</p>
      )}
      {machineCalls.length > 0 && (
        <Checkbox isSelected={revertsFiles} onChange={setRevertsFiles}>
          Undo changes of files on paired machines, where nobody has changed the files since
        </Checkbox>
      )}
    </ConfirmDialog>
  );
}

function Consequences({ preview }: { preview: Truncated }) {
  const { removed_messages: removed, cancelled_approvals: cancelled, executed_tool_calls: calls } = preview;
  return (
    <>
      <p>
        {plural(removed, 'message')} and what belongs to them are removed for everybody, including the user
        and the bot.
        {cancelled > 0 && ` ${plural(cancelled, 'approval')} that are waiting will be withdrawn.`}
      </p>
      {calls.length === 0 ? (
        <p>Nothing in them has changed anything outside.</p>
      ) : (
        <section aria-label="What cannot be undone" className="rounded-md bg-warning-tint px-3 py-2">
          <h3 className="flex items-center gap-2 font-medium text-warning-ink">
            <TriangleAlert aria-hidden className="size-4 shrink-0" />
            These calls have run and stay done
          </h3>
          <ul className="mt-1 max-h-60 list-disc overflow-y-auto pl-9 font-mono text-ink text-sm">
            {calls.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
