import type { CatalogEntry, Tool } from '@svc/contract/tools';
import { queryOptions } from '@tanstack/react-query';
import { type Api, keys } from './client.ts';

/** Something that a bot can be given to call. */
export interface ToolChoice {
  type: string;
  /** Null for a type that needs no configuration. */
  id: string | null;
  name: string;
  description: string;
  /** Whether calls wait for a person; undefined for a type without a tool. */
  asks: Tool['asks_first'] | undefined;
  isReadOnly: boolean;
  isActive: boolean;
}

/** The tools of the workspace, and the types that need no configuration. */
export const botToolChoicesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.list(api, 'tool', { view: 'choices' }),
    queryFn: async ({ signal }) => {
      const [tools, catalog] = await Promise.all([
        api.get<Tool[]>('/api/v1/tools', {}, signal),
        api.get<CatalogEntry[]>('/api/v1/tools/catalog', {}, signal),
      ]);
      const isReadOnly = new Map(catalog.map((entry) => [entry.tool_type, entry.read_only]));
      return [
        ...tools.map(
          (tool): ToolChoice => ({
            type: tool.tool_type,
            id: tool.id,
            name: tool.name,
            description: tool.description,
            asks: tool.asks_first,
            isReadOnly: isReadOnly.get(tool.tool_type) ?? false,
            isActive: tool.is_active,
          }),
        ),
        ...catalog.filter(needsNothing).map(
          (entry): ToolChoice => ({
            type: entry.tool_type,
            id: null,
            name: entry.name,
            description: entry.description,
            asks: undefined,
            isReadOnly: entry.read_only,
            isActive: true,
          }),
        ),
      ];
    },
  });

function needsNothing({ configuration_schema: schema }: CatalogEntry): boolean {
  const { required } = schema as { required?: unknown[] };
  return (required?.length ?? 0) === 0;
}
