import type { PostCallHook } from '@svc/contract/post-call-hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { botToolChoicesQuery } from '../../../../api/bot-tools.ts';
import { addHook, updateHook } from '../../../../api/post-call-hooks.ts';
import { useSubmit } from '../../../../app/use-submit.ts';
import { useWorkspace } from '../../../../app/workspace.tsx';
import { FormDialog } from '../../../../kit/dialogs.tsx';
import { Select } from '../../../../kit/fields.tsx';
import { JsonEditor } from '../../../../kit/json-editor.tsx';

interface HookDialogProps {
  botId: string;
  /** Each tool runs at most once after a call. */
  taken: readonly PostCallHook[];
  /** Left out for a new one. */
  saved?: PostCallHook;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

const placeholders = [
  '{{summary}}',
  '{{transcript}}',
  '{{conversation_id}}',
  '{{call.from_number}}',
  '{{call.to_number}}',
  '{{call.duration_seconds}}',
  '{{call.end_reason}}',
  // Everything that is known of the call.
  '{{call.*}}',
];

export function HookDialog({ botId, taken, saved, onClose, onSaved }: HookDialogProps) {
  const { api } = useWorkspace();
  const choices = useQuery(botToolChoicesQuery(api));
  const [toolId, setToolId] = useState(saved?.tool_configuration_id ?? null);
  const [text, setText] = useState(
    JSON.stringify(saved?.params_template ?? { note: '{{summary}}' }, null, 2),
  );
  const template = readObject(text);
  const form = useSubmit(async () => {
    const body = { params_template: template ?? {} };
    if (saved) await updateHook(api, botId, saved.id, body);
    else {
      const last = Math.max(-1, ...taken.map(({ run_order: order }) => order));
      await addHook(api, botId, { tool_configuration_id: toolId ?? '', run_order: last + 1, ...body });
    }
    await onSaved();
    onClose();
  }, ['params_template']);
  const free = (choices.data ?? []).flatMap(({ id, name, type, isActive }) =>
    id !== null && isActive && !taken.some((hook) => hook.tool_configuration_id === id)
      ? [{ value: id, label: name, description: type }]
      : [],
  );
  return (
    <FormDialog
      title={saved ? `${saved.tool_name} after calls` : 'Run a tool after calls'}
      action={saved ? 'Save' : 'Add'}
      isBusy={form.isBusy}
      isDisabled={toolId === null || template === undefined}
      error={form.error ?? choices.error}
      onSubmit={() => void form.submit()}
      onClose={onClose}
    >
      {!saved && (
        <Select
          label="Tool"
          placeholder={choices.data && free.length === 0 ? 'No other tool' : 'Choose a tool'}
          options={free}
          value={toolId}
          onChange={setToolId}
          description="Only tools of the workspace, each once."
        />
      )}
      <JsonEditor
        label="Arguments"
        text={text}
        onChange={setText}
        description="Sent to the tool. What stands in double braces is filled in for each call."
        error={
          form.at('params_template') ?? (template === undefined ? 'This is not a JSON object.' : undefined)
        }
      />
      <p className="text-ink-2 text-sm">
        Can be filled in:{' '}
        {placeholders.map((name, index) => (
          <span key={name}>
            {index > 0 && ', '}
            <code className="font-mono text-xs">{name}</code>
          </span>
        ))}
      </p>
    </FormDialog>
  );
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not finished yet.
    return undefined;
  }
}
