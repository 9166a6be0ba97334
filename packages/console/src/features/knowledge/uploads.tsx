import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { rereadKnowledge } from '../../api/knowledge.ts';
import { uploadFile } from '../../api/upload.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { IconButton } from '../../kit/buttons.tsx';
import { NameText, StateBadge } from '../../kit/labels.tsx';
import { Meter } from '../../kit/meter.tsx';
import { messageOf } from '../../kit/placeholders.tsx';
import { refusalOf } from './refusal-of.ts';
import { createUploadQueue, type Upload } from './upload-queue.ts';

/** Files that are being sent, and those that were not accepted. */
export function UploadList({
  uploads,
  onRemove,
}: {
  uploads: readonly Upload[];
  /** Cancels it if it is on its way. */
  onRemove: (key: string) => void;
}) {
  if (uploads.length === 0) return null;
  return (
    <ul aria-label="Uploads" className="border-line border-b bg-surface">
      {uploads.map(({ key, name, progress, error }) => (
        <li
          key={key}
          className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 border-line border-t px-4 py-1 text-sm md:px-6"
        >
          <span className="min-w-0 flex-1 basis-40 truncate font-medium" title={name}>
            <NameText text={name} />
          </span>
          {error === undefined ? (
            <>
              <span className="w-32">
                <Meter label={`Sending ${name}`} value={progress} isProgress />
              </span>
              <span className="text-ink-2">{Math.round(progress * 100)} % sent</span>
              <IconButton label={`Cancel ${name}`} icon={<X aria-hidden />} onPress={() => onRemove(key)} />
            </>
          ) : (
            <>
              <span role="alert" className="min-w-0">
                <StateBadge state="danger" text={error} isWrapping />
              </span>
              <IconButton label={`Dismiss ${name}`} icon={<X aria-hidden />} onPress={() => onRemove(key)} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

/** One for the tab: files are still sent while other pages are looked at. */
const queue = createUploadQueue((isBusy) => {
  if (isBusy) window.addEventListener('beforeunload', askBeforeLeaving);
  else window.removeEventListener('beforeunload', askBeforeLeaving);
});

/** The files of the workspace that are on their way, and those that were not accepted. */
export function useUploads() {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const all = useSyncExternalStore(queue.subscribe, queue.list);
  const { workspaceId } = api;
  return {
    uploads: all.filter((upload) => upload.workspaceId === workspaceId),
    add: (files: readonly File[], botId: string | undefined) =>
      queue.add(
        files.map((file) => ({
          workspaceId,
          name: file.name,
          error: refusalOf(file),
          explain: messageOf,
          async send(onProgress, signal) {
            try {
              await uploadFile(api, file, { botId, onProgress, signal });
            } finally {
              // Even a cancelled one may have arrived.
              await rereadKnowledge(client, api);
            }
          },
        })),
      ),
    remove: queue.remove,
  };
}
