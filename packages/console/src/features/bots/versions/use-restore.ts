import { useMutation, useQueryClient } from '@tanstack/react-query';
import { restoreVersion } from '../../../api/bot-versions.ts';
import { keys } from '../../../api/client.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { notify } from '../../../kit/toast.tsx';

/** Restores a version. It becomes a new one, so the last can be restored too: there is nothing to confirm. */
export function useRestore(botId: string, currentVersion: number | undefined) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: (number: number) => restoreVersion(api, botId, number),
    async onSuccess(answer, number) {
      await client.invalidateQueries({ queryKey: keys.one(api, 'bot', botId) });
      void client.invalidateQueries({ queryKey: keys.lists(api, 'bot') });
      const isUndone = currentVersion !== undefined && answer.version !== currentVersion;
      notify({
        text: `Version ${number} is live again, as version ${answer.version}.`,
        ...(isUndone && { action: { label: 'Undo', run: () => restore.mutate(currentVersion) } }),
      });
    },
  });
  return restore;
}
