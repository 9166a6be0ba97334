import type { Queryable } from '../database/database.ts';
import type { Services } from '../services.ts';
import { type AssignedTool, type BoundFunction, bindFunctions } from './bound-function.ts';
import { toolFingerprint } from './fingerprint.ts';
import type { ToolSecrets } from './secrets.ts';
import type { ConfiguredTool, ListOptions } from './tool-type.ts';
import { type NewAssignment, type StoredTool, toolStore } from './tools.store.ts';

export interface BinderDependencies extends Pick<Services, 'log' | 'registry'> {
  secrets: ToolSecrets;
}

export type ToolBinder = ReturnType<typeof createToolBinder>;

/** Makes stored tools ready to run. Configuration and secrets are read here once and not again for each call. */
export function createToolBinder({ registry, secrets, log }: BinderDependencies) {
  function configured({ row, secrets: stored }: StoredTool): ConfiguredTool {
    const { id, revision, workspaceId, name, description } = row;
    const configuration = { ...row.configuration, ...secrets.open(stored) };
    return { id, revision, workspaceId, name, description, configuration };
  }

  /** The active ones of these tools, with their secrets; only for running them. */
  async function assemble(query: Queryable, workspaceId: string, assignments: readonly NewAssignment[]) {
    const ids = configurationIds(assignments);
    const stored = ids.length > 0 ? await toolStore.findWithSecrets(query, workspaceId, ids) : [];
    const found: AssignedTool[] = [];
    for (const assignment of assignments) {
      const type = registry.find(assignment.toolType);
      const own = stored.find(({ row }) => row.id === assignment.toolConfigurationId);
      if (!type || (assignment.toolConfigurationId && !own?.row.isActive)) continue;
      const bare = {
        id: undefined,
        workspaceId,
        name: type.type,
        description: type.description,
        configuration: {},
      };
      found.push({ assignment, tool: own ? configured(own) : bare });
    }
    return found;
  }

  return {
    /** One tool, active or not; undefined when there is none. */
    async configure(query: Queryable, workspaceId: string, toolId: string) {
      const [stored] = await toolStore.findWithSecrets(query, workspaceId, [toolId]);
      return stored && { toolType: stored.row.toolType, tool: configured(stored) };
    },

    async bind(
      query: Queryable,
      workspaceId: string,
      assignments: readonly NewAssignment[],
      signal: AbortSignal,
      options?: ListOptions,
    ): Promise<BoundFunction[]> {
      return bindFunctions(await assemble(query, workspaceId, assignments), registry, log, signal, options);
    },

    /** The one of these tools that is active and configured as it was when the fingerprint was made. */
    async findTool(
      query: Queryable,
      workspaceId: string,
      assignments: readonly NewAssignment[],
      fingerprint: string,
    ): Promise<AssignedTool | undefined> {
      const assembled = await assemble(query, workspaceId, assignments);
      return assembled.find(
        ({ assignment, tool }) => toolFingerprint(assignment.toolType, tool) === fingerprint,
      );
    },
  };
}

export function configurationIds(assignments: readonly NewAssignment[]): string[] {
  return assignments.flatMap(({ toolConfigurationId }) => toolConfigurationId ?? []);
}
