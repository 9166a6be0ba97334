import type { BotTool } from '@svc/contract/bot-versions';
import { X } from 'lucide-react';
import type { ToolChoice } from '../../../api/bot-tools.ts';
import { PageLink } from '../../../app/workspace.tsx';
import { IconButton } from '../../../kit/buttons.tsx';
import { Checkbox, TextAreaField } from '../../../kit/fields.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';

interface AssignedToolRowProps {
  tool: BotTool;
  /** Undefined if the tool is gone. */
  choice: ToolChoice | undefined;
  error: string | undefined;
  canEdit: boolean;
  onChange: (tool: BotTool) => void;
  onRemove: () => void;
}

/** A tool of the bot, and how the bot uses it. */
export function AssignedToolRow({ tool, choice, error, canEdit, onChange, onRemove }: AssignedToolRowProps) {
  const name = choice?.name ?? tool.tool_type;
  return (
    <li className="flex flex-col gap-2 border-line border-b px-4 py-3 md:px-6">
      <div className="flex items-center gap-3">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          {tool.tool_configuration_id ? (
            <PageLink
              path={`/tools/${tool.tool_configuration_id}`}
              className="font-medium underline-offset-2 hover:underline"
            >
              {name}
            </PageLink>
          ) : (
            <span className="font-medium">{name}</span>
          )}
          <span className="text-ink-3 text-sm">{tool.tool_type}</span>
          <Asks choice={choice} />
        </div>
        {canEdit && <IconButton label={`Remove ${name}`} icon={<X aria-hidden />} onPress={onRemove} />}
      </div>
      {error && <p className="text-danger-ink text-sm">{error}</p>}
      <details className="text-sm" open={tool.tool_instructions !== ''}>
        <summary className="text-ink-2 pointer-coarse:py-2">How this bot uses it</summary>
        <div className="flex max-w-[720px] flex-col gap-3 pt-2">
          <TextAreaField
            label="Instructions for the model"
            minRows={2}
            placeholder="Ask for the order number first."
            value={tool.tool_instructions}
            onChange={(tool_instructions) => onChange({ ...tool, tool_instructions })}
            isReadOnly={!canEdit}
          />
          <Checkbox
            isSelected={tool.tool_error_handling_mode === 'hide'}
            onChange={(isHidden) =>
              onChange({ ...tool, tool_error_handling_mode: isHidden ? 'hide' : 'passthrough' })
            }
            isDisabled={!canEdit}
          >
            Tell the model only that it failed, not why
          </Checkbox>
        </div>
      </details>
    </li>
  );
}

function Asks({ choice }: { choice: ToolChoice | undefined }) {
  if (!choice) return <StateBadge state="danger" text="deleted" />;
  if (!choice.isActive) return <StateBadge state="warning" text="switched off" />;
  if (choice.asks === 'always') return <StateBadge state="paused" text="asks first" />;
  if (choice.isReadOnly) return <span className="text-ink-3 text-sm">only reads</span>;
  return choice.asks === 'never' ? <span className="text-ink-3 text-sm">runs without asking</span> : null;
}
