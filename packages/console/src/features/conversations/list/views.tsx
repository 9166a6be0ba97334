import type { ConversationView } from '@svc/contract/conversation-views';
import { useQueryClient } from '@tanstack/react-query';
import { BookmarkPlus, X } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../../api/client.ts';
import {
  conversationViewsQuery,
  createConversationView,
  deleteConversationView,
} from '../../../api/conversation-views.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { PageLink, useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { classes } from '../../../kit/classes.ts';
import { ConfirmDialog, FormDialog } from '../../../kit/dialogs.tsx';
import { TextField } from '../../../kit/fields.tsx';
import { NameText } from '../../../kit/labels.tsx';
import type { FilterSearch } from './filters.ts';
import { searchOf, viewFilterOf } from './saved-views.ts';

/** Filters that are needed again and again, by name. */
const builtIn: { name: string; search: FilterSearch }[] = [
  { name: 'All', search: {} },
  { name: 'Mine', search: { assignee: 'me', inbox: 'open' } },
  { name: 'Waiting', search: { handoff: '1', inbox: 'open' } },
  { name: 'Unassigned', search: { handoff: '1', inbox: 'open', assignee: 'none' } },
  { name: 'Failed', search: { status: 'failed' } },
];

/** The views of the console, and then those that the team has saved. */
export function Views({ search }: { search: FilterSearch }) {
  const { can } = useWorkspace();
  const saved = useRead(conversationViewsQuery).data ?? [];
  const [deleted, setDeleted] = useState<ConversationView>();
  const isCurrent = (view: FilterSearch) => identityOf(view) === identityOf(search);
  return (
    <>
      <nav aria-label="Views" className="flex flex-wrap gap-x-1 border-line border-b bg-surface px-2">
        {builtIn.map((view) => (
          <ViewLink key={view.name} {...view} isCurrent={isCurrent(view.search)} />
        ))}
        {saved.map((view) => (
          <span key={view.id} className="flex items-center">
            <ViewLink name={view.name} search={searchOf(view)} isCurrent={isCurrent(searchOf(view))} />
            {can('operator') && isCurrent(searchOf(view)) && (
              <IconButton
                label={`Delete the view ${view.name}`}
                icon={<X aria-hidden />}
                className="size-6"
                onPress={() => setDeleted(view)}
              />
            )}
          </span>
        ))}
      </nav>
      {deleted && <DeleteDialog view={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  );
}

/** Beside the filters in use, unless they are a view already. */
export function SaveView({ search }: { search: FilterSearch }) {
  const { can } = useWorkspace();
  const saved = useRead(conversationViewsQuery).data ?? [];
  const [isOpen, setOpen] = useState(false);
  const views = [...builtIn.map((view) => view.search), ...saved.map(searchOf)];
  const isKnown = views.some((view) => identityOf(view) === identityOf(search));
  const filter = isKnown ? undefined : viewFilterOf(search);
  if (!can('operator') || !filter) return null;
  return (
    <>
      <Button
        look="quiet"
        size="small"
        className="self-start"
        icon={<BookmarkPlus aria-hidden />}
        onPress={() => setOpen(true)}
      >
        Save view
      </Button>
      {isOpen && <SaveDialog filter={filter} onClose={() => setOpen(false)} />}
    </>
  );
}

function ViewLink({ name, search, isCurrent }: { name: string; search: FilterSearch; isCurrent: boolean }) {
  return (
    <PageLink
      path="/conversations"
      search={search}
      aria-current={isCurrent ? 'page' : undefined}
      className={classes(
        'whitespace-nowrap border-b-2 px-2 py-2 text-sm -outline-offset-2 pointer-coarse:py-3',
        isCurrent
          ? 'border-accent font-medium text-accent-ink'
          : 'border-transparent text-ink-2 hover:text-ink',
      )}
    >
      <NameText text={name} />
    </PageLink>
  );
}

interface SaveDialogProps {
  filter: ConversationView['filter'];
  onClose: () => void;
}

function SaveDialog({ filter, onClose }: SaveDialogProps) {
  const { api } = useWorkspace();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const { submit, isBusy, at, error } = useSubmit(
    async () => {
      await createConversationView(api, { name: name.trim(), filter });
      await queries.invalidateQueries({ queryKey: keys.lists(api, 'conversation_view') });
      onClose();
    },
    { name },
  );
  return (
    <FormDialog
      title="Save this view"
      action="Save"
      isBusy={isBusy}
      isDisabled={name.trim() === ''}
      error={error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="Everybody in the team gets it, beside the other views. “Assigned to me” is whoever looks."
        isRequired
        autoFocus
        maxLength={40}
        value={name}
        onChange={setName}
        error={at('name')}
      />
    </FormDialog>
  );
}

function DeleteDialog({ view, onClose }: { view: ConversationView; onClose: () => void }) {
  const { api } = useWorkspace();
  const queries = useQueryClient();

  async function remove(): Promise<void> {
    await deleteConversationView(api, view.id);
    await queries.invalidateQueries({ queryKey: keys.lists(api, 'conversation_view') });
  }

  return (
    <ConfirmDialog
      title={`Delete the view “${view.name}”?`}
      action="Delete"
      onClose={onClose}
      onConfirm={remove}
    >
      <p>It goes for the whole team. The conversations in it stay as they are.</p>
    </ConfirmDialog>
  );
}

function identityOf(search: FilterSearch): string {
  return JSON.stringify(Object.entries(search).toSorted(([one], [other]) => one.localeCompare(other)));
}
