import type { ConsoleBot } from '@svc/contract/console-bots';
import type { ToolUse } from '@svc/contract/console-tools';
import type { Tool } from '@svc/contract/tools';
import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { assignTools, botsQuery, botToolsQuery, readBotTools } from '../../../api/bots.ts';
import { rereadTools } from '../../../api/tools.ts';
import { useSubmit } from '../../../app/use-submit.ts';
import { useGo, useHref, useRead, useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { newAssignment } from '../../bots/editor/bot-form.ts';

/** Gives a saved tool to one of the bots that cannot call it yet. */
export function AddToBot({ tool, use }: { tool: Tool; use: ToolUse }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const go = useGo();
  const href = useHref();
  const { data: bots } = useRead(botsQuery);
  const { submit, isBusy, error } = useSubmit(async ({ id, name }: ConsoleBot) => {
    // An assignment replaces all tools of the bot.
    const assigned = await readBotTools(api, id);
    await assignTools(api, id, [...assigned, newAssignment(tool.tool_type, tool.id)]);
    notify({
      text: `${name} can call ${tool.name} now.`,
      action: { label: 'Open the bot', run: () => go(`/bots/${id}/tools`) },
    });
    await Promise.all([
      client.invalidateQueries({ queryKey: botToolsQuery(api, id).queryKey }),
      rereadTools(client, api),
    ]);
  });
  const others = bots?.filter(({ id }) => !use.bot_ids.includes(id));
  if (!others || (bots && bots.length > 0 && others.length === 0)) return null;
  return (
    <>
      <Menu
        label="Bots"
        placement="bottom start"
        entries={
          others.length === 0
            ? [{ label: 'Create a bot…', href: href('/bots/new') }]
            : others.map((bot) => ({ id: bot.id, label: bot.name, onAction: () => void submit(bot) }))
        }
      >
        <Button size="small" icon={<Plus aria-hidden />} isBusy={isBusy}>
          Add to a bot…
        </Button>
      </Menu>
      {error !== undefined && <InlineError error={error} />}
    </>
  );
}
