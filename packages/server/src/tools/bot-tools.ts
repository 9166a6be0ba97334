import type { BotTool } from '@svc/contract/bot-versions';
import type { Message } from '@svc/contract/common';
import type { ToolAssign, ToolAssignment } from '@svc/contract/tools';
import type { PlanDefaultTools, PlannedTools, RequireMachines, ToolChange } from '../bots/bots.service.ts';
import type { PreparedTools } from '../bots/versions/bot-versions.service.ts';
import type { Transaction } from '../database/database.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import type { Services } from '../services.ts';
import type { Approver } from './approval-rule.ts';
import { configurationIds } from './binder.ts';
import { usesMachine } from './code-places.ts';
import { type MachineCheck, requireMachinesOfBots, requireNewMachines } from './require-machines.ts';
import {
  type Assigning,
  checkNewTools,
  planAssign,
  planAssignments,
  toAssignment,
  toBotTool,
  unassignable,
} from './tool-assignments.ts';
import type { ToolRegistry } from './tool-registry.ts';
import { type NewAssignment, toolStore } from './tools.store.ts';
import { assignmentToWire } from './tools.wire.ts';

export interface BotToolDependencies extends Pick<Services, 'bots' | 'database' | 'registry'> {
  machines: Pick<MachineCheck, 'requireUse' | 'requireUseOfAll'>;
}

/** As many as can be assigned to a bot by hand. */
const maxDefaults = 100;

export function toolChange(assignments: readonly NewAssignment[], registry: ToolRegistry): ToolChange {
  return { tools: assignments.map(toBotTool), usesMachine: usesMachine(assignments, registry) };
}

/** Which tools a bot has. */
export function createBotTools({ database, bots, registry, machines }: BotToolDependencies) {
  /** The tools that a bot would have, locked until the transaction ends. Throws as `assign` does; `assign()` writes them. */
  async function planTools(
    tx: Transaction,
    workspaceId: string,
    body: ToolAssign,
    author: Approver,
  ): Promise<PlannedTools> {
    const { bot_id: botId } = body;
    const hasBot = (await bots.findSettings(tx, workspaceId, botId)) !== undefined;
    const wanted = await planAssign(tx, workspaceId, body, { hasBot, registry, author });
    const named = { workspaceId, callerId: author.keyId, botId };
    await requireNewMachines(tx, named, wanted, { registry, machines });
    return {
      ...toolChange(wanted, registry),
      assign: () => toolStore.replaceAssignments(tx, workspaceId, botId, wanted),
    };
  }

  const requireMachines: RequireMachines = (query, workspaceId, botIds, callerId) =>
    requireMachinesOfBots(query, { workspaceId, botIds, callerId }, { registry, machines });

  const planDefaultTools: PlanDefaultTools = async (tx, workspaceId) => {
    const rows = await toolStore.lockDefaults(tx, workspaceId, maxDefaults);
    const wanted = rows.map(({ id, toolType }) =>
      toAssignment({ tool_type: toolType, tool_configuration_id: id }),
    );
    return {
      tools: wanted.map(toBotTool),
      assignTo: (botId) => toolStore.replaceAssignments(tx, workspaceId, botId, wanted),
    };
  };

  return {
    planTools,
    planDefaultTools,
    requireMachines,

    /** Throws NOT_FOUND when missing bots or tools are the only faults; otherwise VALIDATION_FAILED that names every fault. */
    async assign(
      workspaceId: string,
      author: Approver,
      body: ToolAssign,
      record: RecordAnswer<Message>,
    ): Promise<Message> {
      return database.within(workspaceId).transaction(async (tx) => {
        const planned = await planTools(tx, workspaceId, body, author);
        const { bot_id: botId } = body;
        const isChanged = await bots.changeTools(tx, workspaceId, botId, author.keyId, async () => planned);
        await planned.assign();
        if (isChanged && planned.usesMachine) await requireMachines(tx, workspaceId, [botId], author.keyId);
        const answer = { message: "The bot's tools were replaced." };
        await record(tx, answer);
        return answer;
      });
    },

    /**
     * Throws VALIDATION_FAILED that names every entry that cannot be assigned, and FORBIDDEN if their author may not give them
     * to the bot.
     */
    async prepare(
      tx: Transaction,
      workspaceId: string,
      entries: BotTool[],
      assigning?: Assigning,
    ): Promise<PreparedTools> {
      const { wanted, faults, tools } = await planAssignments(tx, workspaceId, entries, registry);
      if (faults.length > 0) throw unassignable(faults);
      if (assigning) {
        const current = await toolStore.listAssignments(tx, workspaceId, assigning.botId);
        checkNewTools(wanted, current, tools, registry, assigning.author);
        const named = { workspaceId, callerId: assigning.author.keyId, botId: assigning.botId };
        await requireNewMachines(tx, named, wanted, { registry, machines });
      }
      return {
        usesMachine: usesMachine(wanted, registry),
        assignTo: (botId) => toolStore.replaceAssignments(tx, workspaceId, botId, wanted),
      };
    },

    async listOfBot(workspaceId: string, botId: string): Promise<ToolAssignment[]> {
      await bots.getRow(workspaceId, botId);
      const assignments = await toolStore.listAssignments(database.within(workspaceId), workspaceId, botId);
      const ids = configurationIds(assignments);
      const rows =
        ids.length > 0 ? await toolStore.findMany(database.within(workspaceId), workspaceId, ids) : [];
      return assignments.map((assignment) =>
        assignmentToWire(
          assignment,
          rows.find(({ id }) => id === assignment.toolConfigurationId),
          registry.find(assignment.toolType),
        ),
      );
    },
  };
}
