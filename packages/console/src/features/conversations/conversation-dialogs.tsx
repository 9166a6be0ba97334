import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { keys } from '../../api/client.ts';
import { deleteConversation, endSessions } from '../../api/conversation.ts';
import { useGo, useWorkspace } from '../../app/workspace.tsx';
import { plural } from '../../format/numbers.ts';
import { ConfirmDialog } from '../../kit/dialogs.tsx';
import { notify } from '../../kit/toast.tsx';
import { NameText } from '../../kit/visible-text.tsx';
import { TruncateDialog } from './truncate-dialog.tsx';

const SaveAsScenario = lazy(async () => ({
  default: (await import('../bots/evaluations/save-as-scenario.tsx')).SaveAsScenario,
}));

export type OpenDialog =
  | { name: 'truncate'; messageId: string }
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
