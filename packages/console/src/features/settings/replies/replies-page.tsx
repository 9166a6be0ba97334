import type { CannedReply } from '@svc/contract/canned-replies';
import { useQueryClient } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import {
  cannedRepliesQuery,
  createCannedReply,
  deleteCannedReply,
  updateCannedReply,
} from '../../../api/canned-replies.ts';
import { keys } from '../../../api/client.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { type Column, DataTable } from '../../../kit/data-table.tsx';
import { ConfirmDialog, FormDialog } from '../../../kit/dialogs.tsx';
import { TextAreaField, TextField } from '../../../kit/fields.tsx';
import { NameText, TimeAgo } from '../../../kit/labels.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { SettingsPage } from '../settings-page.tsx';

/** Texts that the team writes again and again. */
export function RepliesPage() {
  const [edited, setEdited] = useState<CannedReply | 'new'>();
  return (
    <SettingsPage tab="replies" actions={<Button onPress={() => setEdited('new')}>New reply</Button>}>
      <Replies onEdit={setEdited} />
      {edited && (
        <ReplyDialog reply={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </SettingsPage>
  );
}

function Replies({ onEdit }: { onEdit: (reply: CannedReply) => void }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const replies = useRead(cannedRepliesQuery);
  const [deleted, setDeleted] = useState<CannedReply>();
  if (replies.isPending) return <RowsLoading />;
  if (replies.isError) return <LoadError query={replies} className="p-4 md:p-6" />;
  if (replies.data.length === 0)
    return (
      <EmptyState icon={<MessageSquareText aria-hidden />} title="No canned replies yet">
        Write down what your team answers again and again. In a conversation, type / in the empty field to
        find it.
      </EmptyState>
    );
  const columns: Column<CannedReply>[] = [
    { title: 'Shortcut', cell: ({ shortcut }) => <code className="font-mono">/{shortcut}</code> },
    {
      title: 'Text',
      cell: ({ text }) => (
        <span dir="auto" className="line-clamp-2 [overflow-wrap:anywhere]">
          <NameText text={text} />
        </span>
      ),
    },
    { title: 'Changed', isSecondary: true, cell: ({ updated_at: at }) => <TimeAgo at={at} /> },
    { title: 'Actions', cell: actionsCell },
  ];
  return (
    <>
      <DataTable
        label="Canned replies"
        columns={columns}
        rows={replies.data}
        keyOf={({ id }) => id}
        isLinked={false}
      />
      {deleted && (
        <ConfirmDialog
          title={`Delete /${deleted.shortcut}?`}
          action="Delete"
          onClose={() => setDeleted(undefined)}
          onConfirm={async () => {
            await deleteCannedReply(api, deleted.id);
            await queries.invalidateQueries({ queryKey: keys.lists(api, 'canned_reply') });
            notify({ text: 'The reply was deleted.' });
          }}
        >
          <p>Messages that were written with it stay as they are.</p>
        </ConfirmDialog>
      )}
    </>
  );

  function actionsCell(reply: CannedReply) {
    return (
      <span className="flex flex-wrap gap-1">
        <Button size="small" look="quiet" aria-label={`Edit ${reply.shortcut}`} onPress={() => onEdit(reply)}>
          Edit
        </Button>
        <Button
          size="small"
          look="quiet"
          aria-label={`Delete ${reply.shortcut}`}
          onPress={() => setDeleted(reply)}
        >
          Delete
        </Button>
      </span>
    );
  }
}

function ReplyDialog({ reply, onClose }: { reply: CannedReply | undefined; onClose: () => void }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const [shortcut, setShortcut] = useState(reply?.shortcut ?? '');
  const [text, setText] = useState(reply?.text ?? '');
  const { submit, isBusy, at, error } = useSubmit(
    async () => {
      if (reply) await updateCannedReply(api, reply.id, { shortcut, text });
      else await createCannedReply(api, { shortcut, text });
      await queries.invalidateQueries({ queryKey: keys.lists(api, 'canned_reply') });
      notify({ text: 'The reply was saved.' });
      onClose();
    },
    { shortcut, text },
  );
  return (
    <FormDialog
      title={reply ? `Edit /${reply.shortcut}` : 'New canned reply'}
      action="Save"
      isBusy={isBusy}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        label="Shortcut"
        description="What people type after / to find it: small letters, digits and hyphens."
        isRequired
        isCode
        value={shortcut}
        onChange={(typed) => setShortcut(typed.toLowerCase().replaceAll(/\s+/g, '-'))}
        error={at('shortcut')}
      />
      <TextAreaField
        label="Text"
        description="{{operator}} becomes the name of the person who writes, {{bot}} that of the bot, {{user}} that of the user, if they gave one."
        isRequired
        value={text}
        onChange={setText}
        minRows={4}
        error={at('text')}
      />
    </FormDialog>
  );
}
