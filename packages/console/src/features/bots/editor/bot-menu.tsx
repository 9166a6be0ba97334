import { useQueryClient } from '@tanstack/react-query';
import { Copy, Ellipsis, Power, PowerOff } from 'lucide-react';
import { useState } from 'react';
import { deactivateBot, updateBot } from '../../../api/bots.ts';
import { keys } from '../../../api/client.ts';
import { useGo, useWorkspace } from '../../../app/workspace.tsx';
import { IconButton } from '../../../kit/buttons.tsx';
import { ConfirmDialog } from '../../../kit/dialogs.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { notify } from '../../../kit/toast.tsx';
import { duplicateBot } from '../duplicate-bot.ts';
import { useBotEditor } from './editor-context.tsx';

/** What can be done with a bot as a whole. */
export function BotMenu({ onError }: { onError: (error: unknown) => void }) {
  const { api } = useWorkspace();
  const { bot, saved } = useBotEditor();
  const queries = useQueryClient();
  const go = useGo();
  const [isAsking, setAsking] = useState(false);
  const isActive = bot.status === 'active';
  const refresh = () => queries.invalidateQueries({ queryKey: keys.all(api, 'bot') });

  async function duplicate(): Promise<void> {
    onError(undefined);
    try {
      const { id, toolsError } = await duplicateBot(api, bot, saved);
      await refresh();
      notify(
        toolsError
          ? { text: `${bot.name} was copied without its tools. ${toolsError.message}`, isError: true }
          : { text: `${bot.name} was copied. Knowledge stays with the original.` },
      );
      go(`/bots/${id}/prompt`);
    } catch (error) {
      onError(error);
    }
  }

  async function activate(): Promise<void> {
    onError(undefined);
    try {
      await updateBot(api, bot.id, { status: 'active' });
      await refresh();
    } catch (error) {
      onError(error);
    }
  }

  return (
    <>
      <Menu
        label={`More about ${bot.name}`}
        entries={[
          {
            label: 'Duplicate',
            icon: <Copy aria-hidden />,
            onAction: () => void duplicate(),
          },
          isActive
            ? {
                label: 'Deactivate…',
                icon: <PowerOff aria-hidden />,
                isDangerous: true,
                isFirstOfGroup: true,
                onAction: () => setAsking(true),
              }
            : {
                label: 'Activate',
                icon: <Power aria-hidden />,
                isFirstOfGroup: true,
                onAction: () => void activate(),
              },
        ]}
      >
        <IconButton label="More" icon={<Ellipsis aria-hidden />} />
      </Menu>
      {isAsking && (
        <ConfirmDialog
          title={`Deactivate ${bot.name}?`}
          action="Deactivate"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await deactivateBot(api, bot.id);
            await refresh();
          }}
        >
          <p>
            It stops answering at once: visitors of its widget are told that the chat is not available
            {bot.schedule ? ', and its schedule stops' : ''}. Its configuration, knowledge and conversations
            are kept, and you can activate it again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
