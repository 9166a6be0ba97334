import type { KnowledgeSource } from '@svc/contract/console-knowledge';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, RefreshCw, Trash2, Undo2 } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Api } from '../../api/client.ts';
import { deleteSource, refreshSource, rereadKnowledge, restoreSource } from '../../api/knowledge.ts';
import { uploadFile } from '../../api/upload.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { plural } from '../../format/numbers.ts';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { ConfirmDialog } from '../../kit/dialogs.tsx';
import { Menu } from '../../kit/menu.tsx';
import { messageOf } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';
import { acceptedFiles, refusalOf } from './refusal-of.ts';

interface SourceActionsProps {
  source: KnowledgeSource;
  /** Called when the source no longer exists. */
  onGone?: () => void;
}

/** What can be done with a source, in its row or on its page. */
export function SourceActions({ source, onGone }: SourceActionsProps) {
  const { can } = useWorkspace();
  const [isConfirming, setConfirming] = useState(false);
  const { refresh, remove, restore, removeForGood, error } = useSourceActions(source, onGone);
  if (!can('operator')) return null;
  const {
    title,
    status,
    processing_status: processing,
    content_type: type,
    passage_count: passages,
  } = source;
  const isFailed = processing === 'failed';
  return (
    <span className="flex items-center justify-end gap-1">
      {error !== undefined && (
        <span role="alert" className="text-danger-ink text-sm">
          {messageOf(error)}
        </span>
      )}
      {status === 'inactive' ? (
        <Button size="small" icon={<Undo2 aria-hidden />} onPress={() => void restore()}>
          Restore
        </Button>
      ) : (
        <>
          {isFailed && type === 'uploaded_file' && <ReplaceFile source={source} />}
          {isFailed && type !== 'uploaded_file' && (
            <Button size="small" onPress={() => void refresh()}>
              Try again
            </Button>
          )}
        </>
      )}
      {(status === 'active' || can('owner')) && (
        <Menu
          label={`Actions for ${title}`}
          entries={[
            status === 'active' && {
              label: type === 'url' ? 'Read the page again' : 'Read it again',
              icon: <RefreshCw aria-hidden />,
              onAction: () => void refresh(),
            },
            status === 'active' && {
              label: 'Delete',
              description: 'It can be restored.',
              icon: <Trash2 aria-hidden />,
              isDangerous: true,
              onAction: () => void remove(),
            },
            status === 'inactive' && {
              label: 'Delete for good…',
              icon: <Trash2 aria-hidden />,
              isDangerous: true,
              onAction: () => setConfirming(true),
            },
          ]}
        >
          <IconButton label={`Actions for ${title}`} icon={<Ellipsis aria-hidden />} />
        </Menu>
      )}
      {isConfirming && (
        <ConfirmDialog
          title={`Delete ${title} for good?`}
          action="Delete"
          onClose={() => setConfirming(false)}
          onConfirm={removeForGood}
        >
          Its text and {plural(passages, 'passage')} are lost. Answers that cite it keep their quotes.
        </ConfirmDialog>
      )}
    </span>
  );
}

/** Actions on a source that report their failure where they were started. */
function useSourceActions({ id, title }: Pick<KnowledgeSource, 'id' | 'title'>, onGone?: () => void) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>();

  async function run(work: () => Promise<unknown>, done: () => void): Promise<void> {
    setError(undefined);
    try {
      await work();
      done();
      await rereadKnowledge(client, api);
    } catch (failure) {
      setError(failure);
    }
  }

  const restore = () =>
    run(
      () => restoreSource(api, id),
      () => notify({ text: `${title} was restored.` }),
    );

  return {
    error,
    restore,
    refresh: () =>
      run(
        () => refreshSource(api, id),
        () => notify({ text: `${title} is read again.` }),
      ),
    remove: () =>
      run(
        () => deleteSource(api, id, 'soft'),
        () => {
          const undo = () => void undoDelete(client, api, { id, title });
          notify({ text: `${title} was deleted.`, action: { label: 'Undo', run: undo } });
          onGone?.();
        },
      ),
    /** Throws, so that the dialog stays open with the reason. */
    async removeForGood(): Promise<void> {
      await deleteSource(api, id, 'hard');
      onGone?.();
      await rereadKnowledge(client, api);
    },
  };
}

/** Adds another file in place of one that could not be read. The old source is deleted once the new one is stored. */
function ReplaceFile({ source }: { source: KnowledgeSource }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const replacing = useMutation({
    mutationFn: async (file: File) => {
      const refusal = refusalOf(file);
      if (refusal) throw new Refused(refusal);
      const botId = source.bot_id ?? undefined;
      await uploadFile(api, file, { botId });
      await deleteSource(api, source.id, 'soft');
    },
    onSettled: () => rereadKnowledge(client, api),
  });
  return (
    <>
      {replacing.error && (
        <span role="alert" className="text-danger-ink text-sm">
          {replacing.error instanceof Refused ? replacing.error.message : messageOf(replacing.error)}
        </span>
      )}
      <Button size="small" isBusy={replacing.isPending} onPress={() => chooser.current?.click()}>
        Replace
      </Button>
      <input
        ref={chooser}
        type="file"
        hidden
        accept={acceptedFiles}
        aria-label={`A file in place of ${source.title}`}
        onChange={(event) => {
          const file = event.target.files?.[0];
          // The same file can be chosen again once it is repaired.
          event.target.value = '';
          if (file) replacing.mutate(file);
        }}
      />
    </>
  );
}

/** A file that was not even sent. */
class Refused extends Error {}

/** For the button of a notice: the row that could show a failure is gone. */
export async function undoDelete(
  client: QueryClient,
  api: Api,
  { id, title }: { id: string; title: string },
): Promise<void> {
  try {
    await restoreSource(api, id);
  } catch (failure) {
    notify({ text: `${title} was not restored. ${messageOf(failure)}`, isError: true });
  }
  await rereadKnowledge(client, api);
}
