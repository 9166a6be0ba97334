import type { BotTool } from '@svc/contract/bot-versions';
import type { Message } from '@svc/contract/common';
import type {
  CatalogEntry,
  Tool,
  ToolAssign,
  ToolAssignment,
  ToolCreate,
  ToolTestResult,
  ToolUpdate,
} from '@svc/contract/tools';
import { notFound } from '../app-error.ts';
import type { BotService, PlannedTools, ToolChange } from '../bots/service.ts';
import type { PreparedTools } from '../bots/versions/service.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { RecordAnswer } from '../idempotency/service.ts';
import type { Log } from '../log.ts';
import { newId } from '../new-id.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { planAssign, planAssignments, toBotTool, unassignable } from './assignments.ts';
import { configurationIds, createToolBinder } from './binder.ts';
import { checkedConfiguration } from './checked-configuration.ts';
import { usesMachine } from './code-places.ts';
import { checkSecretsStay } from './destination.ts';
import { createToolDrafts } from './drafts.ts';
import { createToolOffers } from './offers.ts';
import type { ToolRegistry } from './registry.ts';
import { createToolSecrets } from './secrets.ts';
import { type NewAssignment, type ToolRow, toolStore } from './store.ts';
import { testTool } from './test-tool.ts';
import { recordToolChanged, recordToolCreated, recordToolDeleted } from './tool-audit.ts';
import { assignmentToWire, catalogEntry, toWire } from './wire.ts';

export type { BoundFunction } from './bound-function.ts';
export { type Fingerprint, isSameFingerprint } from './fingerprint.ts';
export { functionName } from './function-name.ts';
export type { ToolRegistry } from './registry.ts';
export { rotateToolSecrets } from './secrets.ts';
export type { ToolRow } from './store.ts';
export type {
  ApprovalContext,
  CallContext,
  CallDescription,
  CodeTarget,
  EmbeddingUse,
  ListOptions,
  ToolFunction,
  ToolResult,
  ToolRun,
} from './tool-type.ts';
export type { CallDesk, TransferOutcome } from './types/call-tools.ts';
export { describePassages } from './types/knowledge-search.ts';

export interface ToolDependencies {
  database: Database;
  bots: Pick<BotService, 'getRow' | 'findSettings' | 'changeTools' | 'toolsOf'>;
  registry: ToolRegistry;
  box: SecretBox;
  log: Log;
}

export type ToolService = ReturnType<typeof createToolService>;

export function createToolService({ database, bots, registry, box, log }: ToolDependencies) {
  const secrets = createToolSecrets(box);
  const binder = createToolBinder({ registry, secrets, log });

  async function get(query: Queryable, workspaceId: string, toolId: string): Promise<ToolRow> {
    const row = (await toolStore.findMany(query, workspaceId, [toolId]))[0];
    if (!row) throw notFound();
    return row;
  }

  async function lock(tx: Transaction, workspaceId: string, toolId: string): Promise<ToolRow> {
    const row = await toolStore.lock(tx, workspaceId, toolId);
    if (!row) throw notFound();
    return row;
  }

  /** The tools with these ids that the workspace has, by id. */
  async function findMany(
    query: Queryable,
    workspaceId: string,
    toolIds: string[],
  ): Promise<Map<string, ToolRow>> {
    if (toolIds.length === 0) return new Map();
    const rows = await toolStore.findMany(query, workspaceId, toolIds);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** The tools that a bot would have, locked until the transaction ends. Throws as `assign` does; `assign()` writes them. */
  async function planTools(tx: Transaction, workspaceId: string, body: ToolAssign): Promise<PlannedTools> {
    const { bot_id: botId } = body;
    const hasBot = (await bots.findSettings(tx, workspaceId, botId)) !== undefined;
    const wanted = await planAssign(tx, workspaceId, body, { hasBot, registry });
    return {
      ...toolChange(wanted),
      assign: () => toolStore.replaceAssignments(tx, workspaceId, botId, wanted),
    };
  }

  return {
    get,

    catalog: (): CatalogEntry[] => registry.types.map(catalogEntry),

    list: (workspaceId: string, metadata: Record<string, string>): ListPages<Tool> =>
      inPages(
        (after) => toolStore.listPage(database.query, workspaceId, metadata, after),
        async (rows) => {
          const set = await secretsByTool(workspaceId, rows);
          return rows.map((row) => toWire(row, set.get(row.id) ?? []));
        },
      ),

    async read(workspaceId: string, toolId: string): Promise<Tool> {
      const row = await get(database.query, workspaceId, toolId);
      return toWire(row, (await secretsByTool(workspaceId, [row])).get(toolId) ?? []);
    },

    findMany,

    /** The types and names of these tools, by id. */
    async namesOf(
      workspaceId: string,
      toolIds: string[],
    ): Promise<Map<string, Pick<ToolRow, 'toolType' | 'name'>>> {
      const rows = await toolStore.listNames(database.query, workspaceId, toolIds);
      return new Map(rows.map((row) => [row.id, row]));
    },

    async create(
      workspaceId: string,
      createdBy: string,
      body: ToolCreate,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const type = registry.get(body.tool_type);
      registry.checkPreset(type, body.preset_id);
      const split = checkedConfiguration(registry, type, body.configuration, {});
      const id = newId();
      return database.transaction(async (tx) => {
        const tool = {
          id,
          toolType: type.type,
          name: body.name,
          description: body.description,
          presetId: body.preset_id ?? null,
          createdBy,
          configuration: split.open,
          metadata: body.metadata ?? {},
        };
        await toolStore.insert(tx, workspaceId, tool);
        await secrets.write(tx, workspaceId, id, split.secrets);
        await recordToolCreated(tx, workspaceId, tool, split.secrets);
        await record(tx, { id });
        return { id };
      });
    },

    /** A secret that is not sent keeps its value; null clears it. */
    async update(workspaceId: string, toolId: string, body: ToolUpdate): Promise<void> {
      await database.transaction(async (tx) => {
        const row = await lock(tx, workspaceId, toolId);
        // An unchanged preset may be written back even if it is no longer in the catalog.
        if (body.preset_id !== row.presetId) registry.checkPreset(registry.get(row.toolType), body.preset_id);
        const change = {
          ...(body.name !== undefined && { name: body.name }),
          ...(body.description !== undefined && { description: body.description }),
          ...(body.is_active !== undefined && { isActive: body.is_active }),
          ...(body.preset_id !== undefined && { presetId: body.preset_id }),
          ...(body.metadata !== undefined && { metadata: body.metadata }),
        };
        if (body.configuration === undefined) {
          await toolStore.update(tx, workspaceId, toolId, change);
          return recordToolChanged(tx, row, { ...row, ...change });
        }
        const type = registry.get(row.toolType);
        const stored = secrets.open(await toolStore.listSecrets(tx, workspaceId, [toolId]));
        const split = checkedConfiguration(registry, type, body.configuration, stored);
        checkSecretsStay(row.configuration, split, Object.keys(stored));
        const changed = { ...change, configuration: split.open };
        await toolStore.update(tx, workspaceId, toolId, changed);
        await secrets.write(tx, workspaceId, toolId, split.secrets);
        const secretsChanged = { before: Object.keys(stored), changes: split.secrets };
        await recordToolChanged(tx, row, { ...row, ...changed }, secretsChanged);
      });
    },

    async replaceMetadata(
      workspaceId: string,
      toolId: string,
      metadata: Record<string, string>,
    ): Promise<void> {
      await database.transaction(async (tx) => {
        const row = await lock(tx, workspaceId, toolId);
        await toolStore.update(tx, workspaceId, toolId, { metadata });
        await recordToolChanged(tx, row, { ...row, metadata });
      });
    },

    /** Deletes its secrets, assignments and hooks as well. */
    async delete(workspaceId: string, by: string, toolId: string): Promise<void> {
      await database.transaction(async (tx) => {
        // The tool is locked before its bots, as when it is assigned; another order could deadlock.
        const row = await lock(tx, workspaceId, toolId);
        for (const botId of await toolStore.listBotsWithTool(tx, workspaceId, toolId)) {
          await bots.changeTools(tx, workspaceId, botId, by, async () => {
            const assignments = await toolStore.listAssignments(tx, workspaceId, botId);
            return toolChange(assignments.filter((one) => one.toolConfigurationId !== toolId));
          });
        }
        await toolStore.delete(tx, workspaceId, toolId);
        await recordToolDeleted(tx, row);
      });
    },

    /** Runs the tool once, for real, with these parameters. */
    async test(
      workspaceId: string,
      toolId: string,
      parameters: Record<string, unknown>,
    ): Promise<ToolTestResult> {
      const found = await binder.configure(database.query, workspaceId, toolId);
      if (!found) throw notFound();
      return testTool(registry.get(found.toolType), found.tool, parameters);
    },

    /** Throws NOT_FOUND when missing bots or tools are the only faults; otherwise VALIDATION_FAILED that names every fault. */
    async assign(
      workspaceId: string,
      by: string,
      body: ToolAssign,
      record: RecordAnswer<Message>,
    ): Promise<Message> {
      return database.transaction(async (tx) => {
        const planned = await planTools(tx, workspaceId, body);
        await bots.changeTools(tx, workspaceId, body.bot_id, by, async () => planned);
        await planned.assign();
        const answer = { message: "The bot's tools were replaced." };
        await record(tx, answer);
        return answer;
      });
    },

    planTools,

    /** Throws VALIDATION_FAILED that names every entry that cannot be assigned. */
    async prepare(tx: Transaction, workspaceId: string, entries: BotTool[]): Promise<PreparedTools> {
      const { wanted, faults } = await planAssignments(tx, workspaceId, entries, registry);
      if (faults.length > 0) throw unassignable(faults);
      return {
        usesMachine: usesMachine(wanted, registry),
        assignTo: (botId) => toolStore.replaceAssignments(tx, workspaceId, botId, wanted),
      };
    },

    async listOfBot(workspaceId: string, botId: string): Promise<ToolAssignment[]> {
      await bots.getRow(workspaceId, botId);
      const assignments = await toolStore.listAssignments(database.query, workspaceId, botId);
      const rows = await findMany(database.query, workspaceId, configurationIds(assignments));
      return assignments.map((assignment) =>
        assignmentToWire(
          assignment,
          rows.get(assignment.toolConfigurationId ?? ''),
          registry.find(assignment.toolType),
        ),
      );
    },

    ...createToolOffers({ database, bots, registry, secrets, binder }),
    ...createToolDrafts({ database, registry, secrets }),
  };

  function toolChange(assignments: readonly NewAssignment[]): ToolChange {
    return { tools: assignments.map(toBotTool), usesMachine: usesMachine(assignments, registry) };
  }

  async function secretsByTool(workspaceId: string, rows: ToolRow[]): Promise<Map<string, string[]>> {
    if (rows.length === 0) return new Map();
    const ids = rows.map((row) => row.id);
    const found = await toolStore.listSecretFields(database.query, workspaceId, ids);
    const fields = new Map<string, string[]>();
    for (const { toolId, field } of found) fields.set(toolId, [...(fields.get(toolId) ?? []), field]);
    return fields;
  }
}
