import type { ConsoleBot } from '@svc/contract/console-bots';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { botsQuery } from '../../../api/bots.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Dialog } from '../../../kit/dialogs.tsx';
import { InlineError, RowsLoading } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { typeName } from '../bot-names.ts';
import { copyOf } from '../duplicate-bot.ts';

interface CopyDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onCopied: (botId: string) => void;
}

/** Chooses the bot that the new one begins as. */
export function CopyDialog({ isOpen, onClose, onCopied }: CopyDialogProps) {
  const { api } = useWorkspace();
  const bots = useQuery({ ...botsQuery(api), enabled: isOpen });
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  async function copy(bot: ConsoleBot): Promise<void> {
    setError(undefined);
    setBusy(true);
    try {
      const { id, toolsError } = await copyOf(api, bot);
      if (toolsError)
        notify({ text: `${bot.name} was copied without its tools. ${toolsError.message}`, isError: true });
      onCopied(id);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog title="Copy a bot" isOpen={isOpen} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <p className="text-ink-2">
          With its prompt, model and tools. Knowledge and schedule stay with the original.
        </p>
        {error !== undefined && <InlineError error={error} />}
        {bots.isPending && <RowsLoading rows={3} />}
        {bots.isError && <InlineError error={bots.error} onRetry={() => void bots.refetch()} />}
        {bots.data?.length === 0 && <p>There is no bot yet that could be copied.</p>}
        <ul className="flex flex-col">
          {bots.data?.map((bot) => (
            <li key={bot.id}>
              <button
                type="button"
                disabled={isBusy}
                onClick={() => void copy(bot)}
                className="flex w-full items-baseline gap-2 rounded-md px-2 py-2 text-left hover:bg-hover pointer-coarse:min-h-11"
              >
                <span className="truncate font-medium">{bot.name}</span>
                <span className="shrink-0 text-ink-3 text-sm">{typeName(bot.bot_type)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
