import type { ToolUse } from '@svc/contract/console-tools';
import { useBotNames } from '../../app/bot-select.tsx';
import { TextLink } from '../../app/workspace.tsx';

/** The bots that use a tool, as links. */
export function UsedBy({ use }: { use: ToolUse | undefined }) {
  const nameOf = useBotNames();
  if (!use) return null;
  const botIds = [...new Set([...use.bot_ids, ...use.hook_bot_ids])];
  if (botIds.length === 0) return <span className="text-ink-3">no bot</span>;
  return (
    <span className="flex flex-wrap gap-x-2">
      {botIds.map((id) => (
        <TextLink key={id} path={`/bots/${id}/tools`}>
          {nameOf(id)}
        </TextLink>
      ))}
    </span>
  );
}
