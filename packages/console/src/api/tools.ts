import type { OfferedFunction, ToolDraftTest, ToolUse } from '@svc/contract/console-tools';
import type { DiscoveredTools } from '@svc/contract/discover';
import type { CatalogEntry, Tool, ToolCreate, ToolTestResult, ToolUpdate } from '@svc/contract/tools';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, keys, readQuery } from './client.ts';

/** Oldest first. */
export const toolsQuery = (api: Api) => readQuery<Tool[]>(api, keys.list(api, 'tool'), '/api/v1/tools');

export const toolQuery = (api: Api, id: string) =>
  readQuery<Tool>(api, keys.one(api, 'tool', id), `/api/v1/tools/${id}`);

/** Where tools are used; of one tool, or of all. Bots change it as well as tools. */
export const toolUsesQuery = (api: Api, id?: string) => ({
  ...readQuery<ToolUse[]>(api, keys.list(api, 'tool', { view: 'uses', id }), '/api/console/tools/uses', {
    tool_id: id,
  }),
  staleTime: 0,
});

export const catalogQuery = (api: Api) =>
  readQuery<CatalogEntry[]>(api, keys.all(api, 'catalog'), '/api/v1/tools/catalog');

export const createTool = (api: Api, body: ToolCreate) => api.post<{ id: string }>('/api/v1/tools', body);
export const updateTool = (api: Api, id: string, body: ToolUpdate) => api.put(`/api/v1/tools/${id}`, body);
export const deleteTool = (api: Api, id: string) => api.delete(`/api/v1/tools/${id}`);

export const testDraft = (api: Api, draft: ToolDraftTest) =>
  api.post<ToolTestResult>('/api/console/tools/test', draft);

export const listDraftFunctions = (api: Api, draft: Omit<ToolDraftTest, 'parameters'>) =>
  api.post<OfferedFunction[]>('/api/console/tools/functions', draft);

export interface ImportSource {
  url?: string;
  documentation?: string;
  operations?: string[];
}

export const readOpenApi = (api: Api, source: ImportSource) =>
  api.post<DiscoveredTools>('/api/console/tools/import', source);

/** Reads everything about tools again. */
export function rereadTools(client: QueryClient, api: Api): Promise<void> {
  return client.invalidateQueries({ queryKey: keys.all(api, 'tool') });
}

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
