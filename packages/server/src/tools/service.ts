import type {
  CatalogEntry,
  Tool,
  ToolAssign,
  ToolAssignment,
  ToolCreate,
  ToolTestResult,
  ToolUpdate,
} from '@svc/contract/tools';
import { AppError, invalid, notFound } from '../app-error.ts';
import type { BotService } from '../bots/service.ts';
import { type Database, type Queryable, type Transaction, violates } from '../database/database.ts';
import type { RecordAnswer } from '../idempotency/service.ts';
import type { Log } from '../log.ts';
import { newId } from '../new-id.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { type BoundFunction, bindFunctions } from './bound-function.ts';
import { destinationOf } from './destination.ts';
import type { ToolRegistry } from './registry.ts';
import { createToolSecrets, splitSecrets } from './secrets.ts';
import { type AssignmentRow, type NewAssignment, type ToolRow, toolStore } from './store.ts';
import { testTool } from './test-tool.ts';
import type { Configuration, ConfiguredTool, ToolType } from './tool-type.ts';
import { assignmentToWire, catalogEntry, toWire } from './wire.ts';

export type { BoundFunction } from './bound-function.ts';
export type { ToolRegistry } from './registry.ts';
export { rotateToolSecrets } from './secrets.ts';
export type { ToolRow } from './store.ts';
export type { ApprovalContext, ToolFunction, ToolResult, ToolRun } from './tool-type.ts';

export interface ToolDependencies {
  database: Database;
  bots: Pick<BotService, 'getRow' | 'setToolCount'>;
  registry: ToolRegistry;
  box: SecretBox;
  log: Log;
}

export type ToolService = ReturnType<typeof createToolService>;

/** An assigned tool, ready to run. */
export interface AssignedTool {
  assignment: AssignmentRow;
  tool: ConfiguredTool;
}

export function createToolService({ database, bots, registry, box, log }: ToolDependencies) {
  const secrets = createToolSecrets(box);

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

  return {
    get,

    catalog: (): CatalogEntry[] => registry.types.map(catalogEntry),

    async list(workspaceId: string, metadata: Record<string, string>): Promise<Tool[]> {
      const rows = await toolStore.list(database.query, workspaceId, metadata);
      const set = await secretsByTool(workspaceId, rows);
      return rows.map((row) => toWire(row, set.get(row.id) ?? []));
    },

    async read(workspaceId: string, toolId: string): Promise<Tool> {
      const row = await get(database.query, workspaceId, toolId);
      return toWire(row, (await secretsByTool(workspaceId, [row])).get(toolId) ?? []);
    },

    /** The tools of these ids that the workspace has, by id. */
    async findMany(query: Queryable, workspaceId: string, toolIds: string[]): Promise<Map<string, ToolRow>> {
      if (toolIds.length === 0) return new Map();
      const rows = await toolStore.findMany(query, workspaceId, toolIds);
      return new Map(rows.map((row) => [row.id, row]));
    },

    async create(
      workspaceId: string,
      createdBy: string,
      body: ToolCreate,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const type = registry.get(body.tool_type);
      const split = checkedConfiguration(type, body.configuration, {});
      const id = newId();
      return database.transaction(async (tx) => {
        await toolStore.insert(tx, workspaceId, {
          id,
          toolType: type.type,
          name: body.name,
          description: body.description,
          presetId: body.preset_id ?? null,
          createdBy,
          configuration: split.open,
          metadata: body.metadata ?? {},
        });
        await secrets.write(tx, workspaceId, id, split.secrets);
        await record(tx, { id });
        return { id };
      });
    },

    /** A secret that is not sent keeps its value; null clears it. */
    async update(workspaceId: string, toolId: string, body: ToolUpdate): Promise<void> {
      await database.transaction(async (tx) => {
        const row = await lock(tx, workspaceId, toolId);
        const change = {
          ...(body.name !== undefined && { name: body.name }),
          ...(body.description !== undefined && { description: body.description }),
          ...(body.is_active !== undefined && { isActive: body.is_active }),
          ...(body.preset_id !== undefined && { presetId: body.preset_id }),
          ...(body.metadata !== undefined && { metadata: body.metadata }),
        };
        if (body.configuration === undefined) return toolStore.update(tx, workspaceId, toolId, change);
        const type = registry.get(row.toolType);
        const stored = secrets.open(await toolStore.listSecrets(tx, workspaceId, [toolId]));
        const split = checkedConfiguration(type, body.configuration, stored);
        checkSecretsStay(row.configuration, split, Object.keys(stored));
        await toolStore.update(tx, workspaceId, toolId, { ...change, configuration: split.open });
        await secrets.write(tx, workspaceId, toolId, split.secrets);
      });
    },

    async replaceMetadata(
      workspaceId: string,
      toolId: string,
      metadata: Record<string, string>,
    ): Promise<void> {
      await database.transaction(async (tx) => {
        await lock(tx, workspaceId, toolId);
        await toolStore.update(tx, workspaceId, toolId, { metadata });
      });
    },

    /** Its secrets, assignments and hooks go with it. */
    async delete(workspaceId: string, toolId: string): Promise<void> {
      await database.transaction(async (tx) => {
        const left = await toolStore.countOtherAssignments(tx, workspaceId, toolId);
        for (const { botId, count } of left) await bots.setToolCount(tx, workspaceId, botId, count);
        if (!(await toolStore.delete(tx, workspaceId, toolId))) throw notFound();
      });
    },

    /** Really runs the tool, once, with these parameters. */
    async test(
      workspaceId: string,
      toolId: string,
      parameters: Record<string, unknown>,
    ): Promise<ToolTestResult> {
      const row = await get(database.query, workspaceId, toolId);
      return testTool(registry.get(row.toolType), await configured(workspaceId, row), parameters);
    },

    async assign(workspaceId: string, { bot_id: botId, assignments }: ToolAssign): Promise<void> {
      await bots.getRow(workspaceId, botId);
      await database
        .transaction(async (tx) => {
          const wanted: NewAssignment[] = [];
          for (const [index, entry] of assignments.entries()) {
            wanted.push(await checkedAssignment(tx, workspaceId, entry, `assignments.${index}`));
          }
          // First, because it holds the bot's row: of two sets at once the later one replaces the other whole.
          await bots.setToolCount(tx, workspaceId, botId, wanted.length);
          await toolStore.replaceAssignments(tx, workspaceId, botId, wanted);
        })
        .catch((error: unknown) => {
          // Deleted a moment ago.
          throw violates(error, 'tool_assignments_tool_configuration_id_fkey') ? notFound() : error;
        });
    },

    async listOfBot(workspaceId: string, botId: string): Promise<ToolAssignment[]> {
      await bots.getRow(workspaceId, botId);
      const assignments = await toolStore.listAssignments(database.query, workspaceId, botId);
      const rows = await this.findMany(database.query, workspaceId, configurationIds(assignments));
      return assignments.map((assignment) =>
        assignmentToWire(
          assignment,
          rows.get(assignment.toolConfigurationId ?? ''),
          registry.find(assignment.toolType),
        ),
      );
    },

    /** The active tools of a bot with their secrets: for running them, nothing else. */
    async assigned(workspaceId: string, botId: string): Promise<AssignedTool[]> {
      const assignments = await toolStore.listAssignments(database.query, workspaceId, botId);
      if (assignments.length === 0) return [];
      const rows = await this.findMany(database.query, workspaceId, configurationIds(assignments));
      const found: AssignedTool[] = [];
      for (const assignment of assignments) {
        const type = registry.find(assignment.toolType);
        const row = rows.get(assignment.toolConfigurationId ?? '');
        if (!type || (assignment.toolConfigurationId && !row?.isActive)) continue;
        const bare = {
          id: undefined,
          workspaceId,
          name: type.type,
          description: type.description,
          configuration: {},
        };
        found.push({ assignment, tool: row ? await configured(workspaceId, row) : bare });
      }
      return found;
    },

    /** What the model of a bot can call. */
    async functionsOf(workspaceId: string, botId: string, signal: AbortSignal): Promise<BoundFunction[]> {
      return bindFunctions(await this.assigned(workspaceId, botId), registry, log, signal);
    },
  };

  /** Checks the configuration as it will be, with the secrets that stay, and takes the secrets out of it. */
  function checkedConfiguration(type: ToolType, sent: Configuration, stored: Configuration) {
    const split = splitSecrets(sent, registry.secretFields(type));
    const kept = Object.entries(stored).filter(([field]) => !split.secrets.cleared.includes(field));
    registry.check(type, { ...split.open, ...Object.fromEntries(kept), ...split.secrets.set });
    return split;
  }

  async function secretsByTool(workspaceId: string, rows: ToolRow[]): Promise<Map<string, string[]>> {
    if (rows.length === 0) return new Map();
    const ids = rows.map((row) => row.id);
    const found = await toolStore.listSecrets(database.query, workspaceId, ids);
    const fields = new Map<string, string[]>();
    for (const { toolId, field } of found) fields.set(toolId, [...(fields.get(toolId) ?? []), field]);
    return fields;
  }

  async function configured(workspaceId: string, row: ToolRow): Promise<ConfiguredTool> {
    const stored = await toolStore.listSecrets(database.query, workspaceId, [row.id]);
    const { id, name, description } = row;
    const configuration = { ...row.configuration, ...secrets.open(stored) };
    return { id, workspaceId, name, description, configuration };
  }

  async function checkedAssignment(
    tx: Transaction,
    workspaceId: string,
    entry: ToolAssign['assignments'][number],
    path: string,
  ): Promise<NewAssignment> {
    const type = registry.find(entry.tool_type);
    if (!type) throw invalid(`${path}.tool_type`, 'is not a known type');
    const toolId = entry.tool_configuration_id ?? null;
    if (toolId === null && !type.needsNoConfiguration) {
      throw invalid(`${path}.tool_configuration_id`, `is required for ${type.type}`);
    }
    if (toolId !== null && (await get(tx, workspaceId, toolId)).toolType !== type.type) {
      throw new AppError('VALIDATION_FAILED', {
        message: `${path}.tool_configuration_id is not of the type ${type.type}.`,
        details: [{ path: `${path}.tool_configuration_id`, message: `is not of the type ${type.type}` }],
      });
    }
    return {
      id: newId(),
      toolType: type.type,
      toolConfigurationId: toolId,
      toolInstructions: entry.tool_instructions ?? '',
      speakDuringExecution: entry.speak_during_execution ?? false,
      speakAfterExecution: entry.speak_after_execution ?? false,
      toolErrorHandlingMode: entry.tool_error_handling_mode ?? 'passthrough',
    };
  }
}

/** A stored secret was given for one host: for another it must be given again. */
function checkSecretsStay(
  before: Configuration,
  { open, secrets }: ReturnType<typeof splitSecrets>,
  stored: string[],
): void {
  if (destinationOf(before) === destinationOf(open)) return;
  const kept = stored.find((field) => !(field in secrets.set) && !secrets.cleared.includes(field));
  if (kept) throw invalid(`configuration.${kept}`, 'must be sent again when the address changes');
}

function configurationIds(assignments: AssignmentRow[]): string[] {
  return assignments.flatMap(({ toolConfigurationId }) => toolConfigurationId ?? []);
}
