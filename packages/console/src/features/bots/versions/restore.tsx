import { ApiError } from '@svc/client/api-error';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { OctagonX } from 'lucide-react';
import { restoreVersion } from '../../../api/bots.ts';
import { keys } from '../../../api/client.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { fieldName } from '../../../format/field-names.ts';
import { InlineError } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';

/** Why a version cannot be restored or evaluated: everything that is in the way, not only the first thing. */
export function RestoreError({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.code !== 'VERSION_UNUSABLE' || error.details.length === 0) {
    return <InlineError error={error} />;
  }
  return (
    <div role="alert" className="rounded-md bg-danger-tint px-3 py-2 text-danger-ink text-sm">
      <p className="flex items-center gap-2 font-medium">
        <OctagonX aria-hidden className="size-4 shrink-0" />
        This version cannot be used any more. Nothing was changed.
      </p>
      <ul className="mt-1 list-disc pl-9">
        {error.details.map(({ path = '', message = '' }) => (
          <li key={`${path} ${message}`}>
            {fieldName(path)} {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

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
