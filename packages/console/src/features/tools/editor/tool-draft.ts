import type { ToolDraftTest } from '@svc/contract/console-tools';
import type { CatalogEntry, Tool } from '@svc/contract/tools';
import { type FormValue, groupsOf, shownValue } from '../../../kit/schema-fields.ts';

/** What the form holds. Secrets are in the configuration only if they were typed. */
export interface ToolDraft {
  name: string;
  description: string;
  isActive: boolean;
  isDefault: boolean;
  configuration: FormValue;
}

export function draftOfTool(tool: Tool): ToolDraft {
  const { name, description, is_active: isActive, is_default: isDefault, configuration } = tool;
  return { name, description, isActive, isDefault, configuration };
}

/** A preset's name describes what the tool does, so it is a good start for both texts. */
export function draftOfType(entry: CatalogEntry, presetId: string | undefined): ToolDraft {
  const preset = entry.presets.find(({ id }) => id === presetId);
  return {
    name: preset ? toFunctionName(preset.name) : '',
    description: preset ? `${preset.name}.` : '',
    isActive: true,
    isDefault: false,
    configuration: preset?.configuration ?? {},
  };
}

function toFunctionName(text: string): string {
  return text
    .replace(/\(.*?\)/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}

/** As it is tested or saved: without what does not apply. */
export function sentConfiguration(entry: CatalogEntry, draft: ToolDraft, tool: Tool | undefined): FormValue {
  const removed = unusedSecrets(entry, draft, tool).map((name) => [name, null]);
  return { ...shownValue(entry.configuration_schema, draft.configuration), ...Object.fromEntries(removed) };
}

/** Stored secrets that no longer apply. If they were kept, nobody could see, replace or remove them. */
export function unusedSecrets(
  entry: CatalogEntry,
  { configuration }: ToolDraft,
  tool: Tool | undefined,
): string[] {
  const groups = groupsOf(entry.configuration_schema, configuration);
  const shown = groups.flatMap(({ fields }) => fields.map(({ name }) => name));
  return (tool?.secrets_set ?? []).filter((name) => !shown.includes(name));
}

export function testedDraft(
  entry: CatalogEntry,
  draft: ToolDraft,
  tool: Tool | undefined,
): Omit<ToolDraftTest, 'parameters'> {
  return {
    tool_type: entry.tool_type,
    name: draft.name,
    description: draft.description,
    configuration: sentConfiguration(entry, draft, tool),
    ...(tool && { tool_id: tool.id }),
  };
}
