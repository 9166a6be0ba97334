import type { ConsoleConversation } from '@svc/contract/console-conversation';
import type { Truncated } from '@svc/contract/truncate';
import { useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { keys } from '../../api/client.ts';
import { deleteConversation, endSessions, truncate, truncatePreviewQuery } from '../../api/conversations.ts';
import { useGo, useRead, useWorkspace } from '../../app/workspace.tsx';
import { plural } from '../../format/numbers.ts';
import { ConfirmDialog } from '../../kit/dialogs.tsx';
import { Checkbox } from '../../kit/fields.tsx';
import { NameText } from '../../kit/labels.tsx';
import { Bar, InlineError } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';
import { EditDialog } from './branches/edit-dialog.tsx';

const SaveAsScenario = lazy(async () => ({
  default: (await import('../bots/evaluations/scenario-dialogs.tsx')).SaveAsScenario,
}));

export type OpenDialog =
  | { name: 'truncate'; messageId: string }
  | { name: 'edit'; message: { id: string; content: string } }
  | { name: 'endSessions'; person: string }
  | { name: 'scenario' }
  | { name: 'delete' };

interface ConversationDialogsProps {
  conversation: ConsoleConversation;
  open: OpenDialog | undefined;
  onClose: () => void;
}

export function ConversationDialogs({ conversation, open, onClose }: ConversationDialogsProps) {
  if (open?.name === 'truncate')
    return <TruncateDialog conversation={conversation} messageId={open.messageId} onClose={onClose} />;
  if (open?.name === 'edit')
    return <EditDialog conversationId={conversation.id} message={open.message} onClose={onClose} />;
  if (open?.name === 'endSessions') return <EndSessionsDialog person={open.person} onClose={onClose} />;
  if (open?.name === 'delete') return <DeleteDialog conversation={conversation} onClose={onClose} />;
  if (open?.name !== 'scenario') return null;
  return (
    <Suspense>
      <SaveAsScenario conversationId={conversation.id} onClose={onClose} />
    </Suspense>
  );
}

function DeleteDialog({ conversation, onClose }: Omit<ConversationDialogsProps, 'open'>) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const go = useGo();

  async function remove(): Promise<void> {
    await deleteConversation(api, conversation.id);
    client.removeQueries({ queryKey: keys.one(api, 'conversation', conversation.id) });
    void client.invalidateQueries({ queryKey: keys.lists(api, 'conversation') });
    notify({ text: 'The conversation was deleted.' });
    go('/conversations');
  }

  return (
    <ConfirmDialog
      title={`Delete “${conversation.title}” for good?`}
      action="Delete"
      onClose={onClose}
      onConfirm={remove}
    >
      <p>
        Its {plural(conversation.message_count, 'message')}, events, trace and approvals are deleted, for the
        user too. What it cost stays in the usage, without the user.
      </p>
    </ConfirmDialog>
  );
}

/** The id is in the text instead of the title, where it could pass for another one. */
function EndSessionsDialog({ person, onClose }: { person: string; onClose: () => void }) {
  const { api } = useWorkspace();

  async function end(): Promise<void> {
    await endSessions(api, person);
    notify({ text: "The person's sessions have ended." });
  }

  return (
    <ConfirmDialog
      title="End all sessions of this person?"
      action="End sessions"
      onClose={onClose}
      onConfirm={end}
    >
      <p className="[overflow-wrap:anywhere]">
        <strong className="font-semibold text-ink">
          <NameText text={person} />
        </strong>{' '}
        is signed out everywhere, with every bot: all their tokens and renewals, open chats and calls from a
        browser end at once.
      </p>
      <p>
        Nothing is deleted. A page that still vouches for them lets them in again: if they should stay out,
        block them there first.
      </p>
    </ConfirmDialog>
  );
}

interface TruncateDialogProps {
  conversation: ConsoleConversation;
  messageId: string;
  onClose: () => void;
}

/** Says what cannot be undone before anything is removed. */
function TruncateDialog({ conversation, messageId, onClose }: TruncateDialogProps) {
  const { api } = useWorkspace();
  const [revertsFiles, setRevertsFiles] = useState(false);
  const preview = useRead(truncatePreviewQuery, conversation.id, messageId);
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
