import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { rereadKnowledge } from '../../api/knowledge.ts';
import { uploadFile } from '../../api/upload.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { messageOf } from '../../kit/placeholders.tsx';
import { refusalOf } from './refusal-of.ts';
import { createUploadQueue, type Upload } from './upload-queue.ts';

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

/** One for the tab: files are still sent while other pages are looked at. */
const queue = createUploadQueue((isBusy) => {
  if (isBusy) window.addEventListener('beforeunload', askBeforeLeaving);
  else window.removeEventListener('beforeunload', askBeforeLeaving);
});

interface Uploads {
  uploads: readonly Upload[];
  add(files: readonly File[], botId: string | undefined): void;
  /** Cancels it if it is on its way. */
  remove(key: string): void;
}

/** The files of the workspace that are on their way, and those that were not accepted. */
export function useUploads(): Uploads {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const all = useSyncExternalStore(queue.subscribe, queue.list);
  const { workspaceId } = api;
  return {
    uploads: all.filter((upload) => upload.workspaceId === workspaceId),
    add: (files, botId) =>
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
