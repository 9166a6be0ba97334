import type { KnowledgeSource } from '@svc/contract/console-knowledge';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteSource, refreshSource, rereadKnowledge, restoreSource } from '../../api/knowledge.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { notify } from '../../kit/toast.tsx';
import { undoDelete } from './undo-delete.ts';

/** Actions on a source that report their failure where they were started. */
export function useSourceActions({ id, title }: Pick<KnowledgeSource, 'id' | 'title'>, onGone?: () => void) {
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
