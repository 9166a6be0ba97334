import type { PostCallHook } from '@svc/contract/post-call-hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../../../api/client.ts';
import { deleteHook, hooksQuery, updateHook } from '../../../../api/post-call-hooks.ts';
import { useWorkspace } from '../../../../app/workspace.tsx';
import { Button } from '../../../../kit/buttons.tsx';
import { ConfirmDialog } from '../../../../kit/dialogs.tsx';
import { Bar, InlineError, Loading } from '../../../../kit/placeholders.tsx';
import { useBotEditor } from '../editor-context.tsx';
import { FormSection } from '../form-section.tsx';
import { HookDialog } from './hook-dialog.tsx';
import { HookRow } from './hook-row.tsx';
import { ordersAfterMove } from './orders-after-move.ts';

type Task = { kind: 'add' } | { kind: 'edit' | 'delete'; hook: PostCallHook };

/** What runs after every call. Not part of the draft: a change counts from the next call on. */
export function HookSection() {
  const { api } = useWorkspace();
  const { bot, canEdit } = useBotEditor();
  const client = useQueryClient();
  const hooks = useQuery(hooksQuery(api, bot.id));
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const refresh = () => client.invalidateQueries({ queryKey: keys.one(api, 'bot', bot.id, 'hooks') });
  const changing = useMutation({
    mutationFn: async (changes: readonly (readonly [string, Parameters<typeof updateHook>[3]])[]) => {
      for (const [id, change] of changes) await updateHook(api, bot.id, id, change);
    },
    onSettled: refresh,
  });
  const list = hooks.data ?? [];
  return (
    <FormSection title="After a call">
      <p className="text-ink-2">
        Tools that run when a call has ended, one after the other, for example to write a summary into your
        CRM. Changes here are saved immediately.
      </p>
      {hooks.isPending && (
        <Loading>
          <Bar className="w-1/2" />
        </Loading>
      )}
      {hooks.error && <InlineError error={hooks.error} onRetry={() => void hooks.refetch()} />}
      {changing.error && <InlineError error={changing.error} />}
      {hooks.data && list.length === 0 && <p className="text-ink-3">Nothing runs after a call.</p>}
      {list.length > 0 && (
        <ol aria-label="Hooks" className="flex flex-col">
          {list.map((hook, index) => (
            <HookRow
              key={hook.id}
              hook={hook}
              canEdit={canEdit && !changing.isPending}
              isFirst={index === 0}
              isLast={index === list.length - 1}
              onEnable={(enabled) => changing.mutate([[hook.id, { enabled }]])}
              onConfirm={() => changing.mutate([[hook.id, { confirm: true }]])}
              onMove={(by) =>
                changing.mutate(
                  ordersAfterMove(list, index, by).map(([id, run_order]) => [id, { run_order }] as const),
                )
              }
              onEdit={() => setTask({ kind: 'edit', hook })}
              onDelete={() => setTask({ kind: 'delete', hook })}
            />
          ))}
        </ol>
      )}
      {canEdit && hooks.data && (
        <Button className="self-start" icon={<Plus aria-hidden />} onPress={() => setTask({ kind: 'add' })}>
          Add a tool
        </Button>
      )}
      {task && task.kind !== 'delete' && (
        <HookDialog
          botId={bot.id}
          taken={list}
          {...(task.kind === 'edit' && { saved: task.hook })}
          onClose={close}
          onSaved={refresh}
        />
      )}
      {task?.kind === 'delete' && (
        <ConfirmDialog
          title={`No longer run ${task.hook.tool_name} after calls?`}
          action="Remove"
          onClose={close}
          onConfirm={async () => {
            await deleteHook(api, bot.id, task.hook.id);
            await refresh();
          }}
        >
          <p>Its template is deleted. The tool itself stays, and so does what it did after past calls.</p>
        </ConfirmDialog>
      )}
    </FormSection>
  );
}
