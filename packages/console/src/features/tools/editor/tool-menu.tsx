import type { ToolUse } from '@svc/contract/console-tools';
import type { Tool } from '@svc/contract/tools';
import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { deleteTool, rereadTools } from '../../../api/tools.ts';
import { useBotNames } from '../../../app/use-bot-names.ts';
import { useGo, useWorkspace } from '../../../app/workspace.tsx';
import { copyText, IconButton } from '../../../kit/buttons.tsx';
import { ConfirmDialog } from '../../../kit/dialogs.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { notify } from '../../../kit/toast.tsx';

export function ToolMenu({ tool, use }: { tool: Tool; use: ToolUse | undefined }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const go = useGo();
  const nameOf = useBotNames();
  const [isConfirming, setConfirming] = useState(false);
  const callers = use?.bot_ids.map(nameOf) ?? [];
  const hooked = use?.hook_bot_ids.map(nameOf) ?? [];

  async function remove(): Promise<void> {
    await deleteTool(api, tool.id);
    notify({ text: `${tool.name} was deleted.` });
    go('/tools', {}, { ignoreBlocker: true });
    await rereadTools(client, api);
  }

  return (
    <>
      <Menu
        label="More"
        entries={[
          { label: 'Copy the id', onAction: () => void copyText(tool.id) },
          {
            label: 'Delete…',
            icon: <Trash2 aria-hidden />,
            isDangerous: true,
            isFirstOfGroup: true,
            onAction: () => setConfirming(true),
          },
        ]}
      >
        <IconButton label="More" icon={<Ellipsis aria-hidden />} />
      </Menu>
      {isConfirming && (
        <ConfirmDialog
          title={`Delete ${tool.name}?`}
          action="Delete"
          onClose={() => setConfirming(false)}
          onConfirm={remove}
        >
          <p>Its configuration{tool.secrets_set.length > 0 && ' and its secrets'} are lost.</p>
          {callers.length > 0 && <p>These bots can no longer call it: {callers.join(', ')}.</p>}
          {hooked.length > 0 && <p>These no longer run it after a call: {hooked.join(', ')}.</p>}
          {callers.length + hooked.length === 0 && <p>No bot uses it.</p>}
        </ConfirmDialog>
      )}
    </>
  );
}
