import type { BotTool } from '@svc/contract/bot-versions';
import type { Database, Queryable } from '../database/database.ts';
import { toAssignment } from './assignments.ts';
import { configurationIds, type ToolBinder } from './binder.ts';
import type { BoundFunction } from './bound-function.ts';
import { type MachineTool, worksOnMachine } from './code-places.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { ToolRegistry } from './registry.ts';
import { secretParts, type ToolSecrets } from './secrets.ts';
import { toolStore } from './store.ts';
import type { ListOptions } from './tool-type.ts';
import { createRedactor, type Redactor } from './types/shared/redactor.ts';

export interface ToolOfferDependencies {
  database: Database;
  registry: ToolRegistry;
  secrets: ToolSecrets;
  binder: ToolBinder;
}

/** What the tools of a bot offer to its turns. */
export function createToolOffers({ database, registry, secrets, binder }: ToolOfferDependencies) {
  return {
    /** Masks the secrets of a bot's tools, and these, in what is stored or shown. */
    async redactorOf(workspaceId: string, botId: string, more: readonly string[]): Promise<Redactor> {
      const ids = configurationIds(await toolStore.listAssignments(database.query, workspaceId, botId));
      const rows = ids.length > 0 ? await toolStore.listSecrets(database.query, workspaceId, ids) : [];
      return createRedactor([...rows.flatMap((row) => secretParts(secrets.open([row]))), ...more]);
    },

    /** The functions that a bot's model can call. */
    async functionsOf(
      workspaceId: string,
      botId: string,
      signal: AbortSignal,
      options?: ListOptions,
    ): Promise<BoundFunction[]> {
      const assignments = await toolStore.listAssignments(database.query, workspaceId, botId);
      return binder.bind(database.query, workspaceId, assignments, signal, options);
    },

    /** Whether the fingerprint's tool is still assigned to the bot, active, and configured as it was. */
    async isUnchanged(
      query: Queryable,
      workspaceId: string,
      botId: string,
      { tool }: Fingerprint,
    ): Promise<boolean> {
      const assignments = await toolStore.listAssignments(query, workspaceId, botId);
      return binder.hasTool(query, workspaceId, assignments, tool);
    },

    /** The functions that a bot's model could call if these were its tools. */
    async functionsOfTools(
      workspaceId: string,
      entries: readonly BotTool[],
      signal: AbortSignal,
    ): Promise<BoundFunction[]> {
      return binder.bind(database.query, workspaceId, entries.map(toAssignment), signal);
    },

    /** Whether tools of this type work on paired machines. */
    worksOnMachine: (toolType: string): boolean => worksOnMachine(toolType, registry),

    /** The active tools of a bot that work on paired machines. */
    async machineToolsOf(workspaceId: string, botId: string): Promise<MachineTool[]> {
      const { query } = database;
      const assignments = await toolStore.listAssignments(query, workspaceId, botId);
      const ofMachines = assignments.filter(({ toolType }) => worksOnMachine(toolType, registry));
      const ids = configurationIds(ofMachines);
      const rows = ids.length > 0 ? await toolStore.findMany(query, workspaceId, ids) : [];
      return ofMachines.flatMap(({ toolType, toolConfigurationId }) => {
        const type = registry.get(toolType);
        const row = rows.find(({ id }) => id === toolConfigurationId);
        if (toolConfigurationId && !row?.isActive) return [];
        return { name: row?.name ?? type.name, target: type.codeTargetOf?.(row?.configuration ?? {}) ?? {} };
      });
    },
  };
}
