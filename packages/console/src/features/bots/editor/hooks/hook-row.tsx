import type { PostCallHook } from '@svc/contract/post-call-hooks';
import { ArrowDown, ArrowUp, Pencil, Trash2 } from 'lucide-react';
import { PageLink } from '../../../../app/workspace.tsx';
import { Button, IconButton } from '../../../../kit/buttons.tsx';
import { Switch } from '../../../../kit/fields.tsx';
import { StateBadge } from '../../../../kit/state-badge.tsx';
import { NameText } from '../../../../kit/visible-text.tsx';

interface HookRowProps {
  hook: PostCallHook;
  canEdit: boolean;
  isFirst: boolean;
  isLast: boolean;
  onEnable: (isEnabled: boolean) => void;
  /** Lets a suspended hook run again. */
  onConfirm: () => void;
  onMove: (by: 1 | -1) => void;
  onEdit: () => void;
  onDelete: () => void;
}

export function HookRow(props: HookRowProps) {
  const { hook, canEdit, isFirst, isLast, onEnable, onConfirm, onMove, onEdit, onDelete } = props;
  const { tool_name: name, params_template: template } = hook;
  const hasTemplate = Object.keys(template).length > 0;
  return (
    <li className="flex flex-col gap-1 border-line border-b py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <PageLink
          path={`/tools/${hook.tool_configuration_id}`}
          className="min-w-0 flex-1 basis-32 truncate font-medium hover:underline"
          title={name}
        >
          <NameText text={name} />
        </PageLink>
        <Switch
          label={hook.enabled ? 'On' : 'Off'}
          isOn={hook.enabled}
          onChange={onEnable}
          isDisabled={!canEdit}
        />
        {canEdit && (
          <span className="flex">
            <IconButton
              label={`Run ${name} earlier`}
              icon={<ArrowUp aria-hidden />}
              isDisabled={isFirst}
              onPress={() => onMove(-1)}
            />
            <IconButton
              label={`Run ${name} later`}
              icon={<ArrowDown aria-hidden />}
              isDisabled={isLast}
              onPress={() => onMove(1)}
            />
            <IconButton label={`Change ${name}`} icon={<Pencil aria-hidden />} onPress={onEdit} />
            <IconButton label={`Remove ${name}`} icon={<Trash2 aria-hidden />} onPress={onDelete} />
          </span>
        )}
      </div>
      {hook.enabled && hook.suspended !== null && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          <StateBadge state="paused" text="Suspended" />
          <span className="min-w-0 flex-1 basis-60 text-ink-2">{hook.suspended}</span>
          {canEdit && (
            <Button size="small" onPress={onConfirm}>
              Confirm <span className="sr-only">{name}</span>
            </Button>
          )}
        </div>
      )}
      <code className="block break-all text-ink-3 text-xs">
        {hasTemplate ? JSON.stringify(template) : 'without arguments'}
      </code>
    </li>
  );
}
