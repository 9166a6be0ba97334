import type { CatalogEntry, Tool } from '@svc/contract/tools';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { createTool, rereadTools, updateTool } from '../../../api/tools.ts';
import { useGo, useWorkspace } from '../../../app/workspace.tsx';
import { fieldErrors, findFaults } from '../../../kit/schema-faults.ts';
import { useShowFault } from '../../../kit/show-fault.ts';
import { notify } from '../../../kit/toast.tsx';
import type { Faults } from '../../../kit/uncorrected.ts';
import { useUncorrected } from '../../../kit/use-uncorrected.ts';
import { draftOfTool, draftOfType, sentConfiguration, type ToolDraft } from './tool-draft.ts';

interface ToolFormOptions {
  entry: CatalogEntry;
  tool: Tool | undefined;
  presetId: string | undefined;
}

/** The form of one tool, saved or not. */
export function useToolForm({ entry, tool, presetId }: ToolFormOptions) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const go = useGo();
  const stored = tool ? draftOfTool(tool) : draftOfType(entry, presetId);
  const [changed, setChanged] = useState<ToolDraft>();
  const [error, setError] = useState<unknown>();
  const [faults, setFaults] = useState<Faults>(new Map());
  const [isSaving, setSaving] = useState(false);
  const draft = changed ?? stored;
  const isChanged = changed !== undefined && JSON.stringify(changed) !== JSON.stringify(stored);

  const errors = useUncorrected(
    useMemo(() => fieldErrors(error), [error]),
    draft,
  );
  const configurationErrors = useUncorrected(
    useMemo(() => new Map([...fieldErrors(error, 'configuration'), ...faults]), [error, faults]),
    draft.configuration,
  );

  useShowFault(error);
  useShowFault(faults.size > 0 ? faults : undefined);

  function check(): boolean {
    const found = findFaults(entry.configuration_schema, draft.configuration, tool?.secrets_set ?? []);
    setFaults(found);
    return found.size === 0;
  }

  async function save(): Promise<void> {
    setError(undefined);
    if (!check()) return;
    setSaving(true);
    try {
      const { name, description, isActive, isDefault } = draft;
      const configuration = sentConfiguration(entry, draft, tool);
      if (tool) {
        await updateTool(api, tool.id, {
          name,
          description,
          is_active: isActive,
          is_default: isDefault,
          configuration,
        });
        await rereadTools(client, api);
        // What was typed while it was being saved is kept.
        setChanged((now) => (now === changed ? undefined : now));
        notify({ text: `${name} was saved.` });
      } else {
        const created = await createTool(api, {
          tool_type: entry.tool_type,
          name,
          description,
          configuration,
          is_default: isDefault,
          ...(presetId && { preset_id: presetId }),
        });
        await rereadTools(client, api);
        notify({ text: `${name} was added.` });
        go(`/tools/${created.id}`, { test: 1 }, { replace: true, ignoreBlocker: true });
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setSaving(false);
    }
  }

  return {
    draft,
    isChanged,
    isSaving,
    /** Not once all that it says has been corrected. */
    error: fieldErrors(error).size > 0 && errors.size + configurationErrors.size === 0 ? undefined : error,
    /** Of the whole body: `name`. */
    errors,
    /** Below `configuration`. */
    configurationErrors,
    change: (part: Partial<ToolDraft>) => setChanged({ ...draft, ...part }),
    discard() {
      setChanged(undefined);
      setError(undefined);
      setFaults(new Map());
    },
    check,
    save,
    setError,
  };
}

export type ToolForm = ReturnType<typeof useToolForm>;
