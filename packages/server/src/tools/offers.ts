import type { BotTool } from '@svc/contract/bot-versions';
import type { Queryable } from '../database/database.ts';
import type { Services } from '../services.ts';
import { configurationIds, type ToolBinder } from './binder.ts';
import type { BoundFunction } from './bound-function.ts';
import { type MachineTool, worksOnMachine } from './code-places.ts';
import type { Fingerprint } from './fingerprint.ts';
import { secretParts, type ToolSecrets } from './secrets.ts';
import { toAssignment } from './tool-assignments.ts';
import type { ListOptions } from './tool-type.ts';
import { toolStore } from './tools.store.ts';
import { createRedactor } from './types/shared/redactor.ts';

export interface ToolOfferDependencies extends Pick<Services, 'bots' | 'database' | 'registry'> {
  secrets: ToolSecrets;
  binder: ToolBinder;
}

/** A bot as it is, or as it is in a version or draft. */
export interface BotAtVersion {
  workspaceId: string;
  botId: string;
  /** Null or left out: as it is. */
  version?: number | null | undefined;
}

/** What the tools of a bot offer to its turns. */
export function createToolOffers({ database, bots, registry, secrets, binder }: ToolOfferDependencies) {
  async function assignmentsOf(query: Queryable, { workspaceId, botId, version = null }: BotAtVersion) {
    if (version === null) return toolStore.listAssignments(query, workspaceId, botId);
    return (await bots.toolsOf(query, workspaceId, botId, version)).map(toAssignment);
  }

  async function findTool(query: Queryable, bot: BotAtVersion, { tool }: Fingerprint) {
    return binder.findTool(query, bot.workspaceId, await assignmentsOf(query, bot), tool);
  }

  return {
    /** Masks the secrets of a bot's tools, and these, in what is stored or shown. */
    async redactorOf({ workspaceId, botId, version }: BotAtVersion, more: readonly string[]) {
      const ids = configurationIds(
        await assignmentsOf(database.within(workspaceId), { workspaceId, botId, version }),
      );
      const rows =
        ids.length > 0 ? await toolStore.listSecrets(database.within(workspaceId), workspaceId, ids) : [];
      return createRedactor([...rows.flatMap((row) => secretParts(secrets.open([row]))), ...more]);
    },

    /** The functions that a bot's model can call. */
    async functionsOf(workspaceId: string, botId: string, signal: AbortSignal, options?: ListOptions) {
      const assignments = await toolStore.listAssignments(database.within(workspaceId), workspaceId, botId);
      return binder.bind(database.within(workspaceId), workspaceId, assignments, signal, options);
    },

    /** Whether the fingerprint's tool is still assigned to the bot, active, and configured as it was. */
    async isUnchanged(query: Queryable, bot: BotAtVersion, fingerprint: Fingerprint): Promise<boolean> {
      return (await findTool(query, bot, fingerprint)) !== undefined;
    },

    /** The paired machine that the configuration of the fingerprint's tool names. */
    async machineOf(query: Queryable, bot: BotAtVersion, fingerprint: Fingerprint) {
      const found = await findTool(query, bot, fingerprint);
      if (!found) return undefined;
      return registry.find(found.assignment.toolType)?.codeTargetOf?.(found.tool.configuration).machineId;
    },

    /** The functions that a bot's model could call if these were its tools. */
    async functionsOfTools(
      workspaceId: string,
      entries: readonly BotTool[],
      signal: AbortSignal,
      options?: ListOptions,
    ): Promise<BoundFunction[]> {
      return binder.bind(
        database.within(workspaceId),
        workspaceId,
        entries.map(toAssignment),
        signal,
        options,
      );
    },

    /** Whether tools of this type work on paired machines. */
    worksOnMachine: (toolType: string): boolean => worksOnMachine(toolType, registry),

    /** The active tools of a bot that work on paired machines. */
    async machineToolsOf(workspaceId: string, botId: string): Promise<MachineTool[]> {
      const query = database.within(workspaceId);
      const assignments = await toolStore.listAssignments(query, workspaceId, botId);
      const ofMachines = assignments.filter(({ toolType }) => worksOnMachine(toolType, registry));
      const ids = configurationIds(ofMachines);
      const rows = ids.length > 0 ? await toolStore.findMany(query, workspaceId, ids) : [];
      return ofMachines.flatMap(({ toolType, toolConfigurationId }) => {
        const type = registry.get(toolType);
        const row = rows.find(({ id }) => id === toolConfigurationId);
        if (toolConfigurationId && !row?.isActive) return [];
        const configuration = row?.configuration ?? {};
        const target = type.codeTargetOf?.(configuration) ?? {};
        return {
          name: row?.name ?? type.name,
          target,
          asksToRead: type.asks(configuration)['reads'] === true,
        };
      });
    },
  };
}
