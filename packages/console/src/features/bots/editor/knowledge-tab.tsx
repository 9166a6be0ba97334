import { ApiError } from '@svc/client/api-error';
import type { Knowledge } from '@svc/contract/knowledge';
import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { addSource, botKnowledgeQuery, deleteSource, rereadKnowledge } from '../../../api/knowledge.ts';
import { PageLink, useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { DataTable } from '../../../kit/data-table.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { InlineError, LoadError, messageOf, RowsLoading } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { undoDelete } from '../../knowledge/source-actions.tsx';
import { DropArea } from '../knowledge/drop-area.tsx';
import { SourceDialog, type SourceKind } from '../knowledge/source-dialog.tsx';
import { uploadFiles } from '../knowledge/upload-files.ts';
import { useBotEditor } from './editor-context.tsx';

/** What the bot can look up. Sources are added and removed immediately, for the saved bot too. */
export function KnowledgeTab() {
  const { api } = useWorkspace();
  const { bot, canEdit } = useBotEditor();
  const queries = useQueryClient();
  const sources = useRead(botKnowledgeQuery, bot.id);
  const [kind, setKind] = useState<SourceKind>();
  const [failures, setFailures] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const refresh = () => rereadKnowledge(queries, api);

  async function attempt(work: () => Promise<readonly string[]>): Promise<void> {
    setBusy(true);
    try {
      setFailures(await work());
    } catch (error) {
      setFailures(reasonsOf(error));
    } finally {
      setBusy(false);
      await refresh();
    }
  }

  const upload = (files: File[]) => attempt(() => uploadFiles(api, bot.id, files));

  const remove = (source: Knowledge) =>
    attempt(async () => {
      await deleteSource(api, source.id, 'soft');
      const undo = () => void undoDelete(queries, api, source);
      notify({ text: `${source.title} was removed.`, action: { label: 'Undo', run: undo } });
      return [];
    });

  return (
    <div className="flex flex-col gap-4 py-4 md:py-5">
      {canEdit && (
        <div className="px-4 md:px-6">
          <DropArea
            isBusy={isBusy}
            onFiles={(files) => void upload(files)}
            others={
              <>
                <Button onPress={() => setKind('url')}>Web page</Button>
                <Button onPress={() => setKind('text')}>Text</Button>
              </>
            }
          />
          <SourceDialog
            kind={kind}
            action="Add"
            onClose={() => setKind(undefined)}
            onAdd={async (source) => {
              await addSource(api, { ...source, bot_id: bot.id });
              await refresh();
            }}
          />
        </div>
      )}
      {failures.length > 0 && (
        <div className="flex flex-col gap-2 px-4 md:px-6">
          {failures.map((text) => (
            <InlineError key={text} error={text} />
          ))}
        </div>
      )}
      {sources.isPending && <RowsLoading rows={3} />}
      {sources.isError && <LoadError query={sources} className="px-4 md:px-6" />}
      {sources.data && sources.data.length === 0 && (
        <p className="px-4 text-ink-2 md:px-6">
          This bot knows nothing yet. It answers from its prompt and its model alone.
        </p>
      )}
      {sources.data && sources.data.length > 0 && (
        <DataTable
          label="Sources of the bot"
          rows={sources.data}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Title',
              cell: (source) => <PageLink path={`/knowledge/${source.id}`}>{source.title}</PageLink>,
            },
            {
              title: 'For',
              isSecondary: true,
              cell: (source) => (source.bot_id === null ? 'every bot' : 'this bot'),
            },
            { title: 'State', cell: (source) => <SourceState source={source} /> },
            {
              title: 'Actions',
              isTitleHidden: true,
              className: 'w-10',
              cell: (source) =>
                canEdit && source.bot_id !== null ? (
                  <IconButton
                    label={`Remove ${source.title}`}
                    icon={<Trash2 aria-hidden />}
                    onPress={() => void remove(source)}
                  />
                ) : null,
            },
          ]}
        />
      )}
    </div>
  );
}

/** Of files, one reason for each. */
function reasonsOf(error: unknown): string[] {
  const reasons = error instanceof ApiError ? error.details.flatMap(({ message }) => message ?? []) : [];
  return reasons.length > 0 ? reasons : [messageOf(error)];
}

/** How far a source is. It is found by its words as soon as it is split, long before it is completed. */
function SourceState({ source }: { source: Knowledge }) {
  const { processing_status: status, processing_progress: progress, error } = source;
  if (status === 'completed') return <StateBadge state="success" text="ready" />;
  if (status === 'failed') return <StateBadge state="danger" text={error ?? 'failed'} isWrapping />;
  return <StateBadge state="running" text={`${Math.round(progress * 100)} %`} />;
}
