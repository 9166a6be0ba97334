import { isDeepStrictEqual } from 'node:util';
import type { CatalogEntry, Tool, ToolCreate, ToolTestResult, ToolUpdate } from '@svc/contract/tools';
import type { Queryable, Transaction } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import { invalid, notFound } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import type { Services } from '../services.ts';
import { reportTogether } from '../validation/report-together.ts';
import { type Approver, changesUnasked, isLooser, mayAsk, requireApprover } from './approval-rule.ts';
import { createToolBinder } from './binder.ts';
import { createBotTools, toolChange } from './bot-tools.ts';
import { checkedConfiguration } from './checked-configuration.ts';
import { createToolDrafts } from './drafts.ts';
import { createToolOffers } from './offers.ts';
import { type MachineCheck, requireNamedMachine } from './require-machines.ts';
import { checkSecretsStay } from './secret-destination.ts';
import { createToolSecrets, type splitSecrets } from './secrets.ts';
import { testTool } from './test-tool.ts';
import { recordToolChanged, recordToolCreated, recordToolDeleted } from './tool-audit.ts';
import type { Configuration, ToolType } from './tool-type.ts';
import { type ToolRow, toolStore } from './tools.store.ts';
import { catalogEntry, toWire } from './tools.wire.ts';

export { type Approver, requireApprover } from './approval-rule.ts';
export type { BoundFunction } from './bound-function.ts';
export { type Fingerprint, isSameFingerprint } from './fingerprint.ts';
export { functionName } from './function-name.ts';
export { rotateToolSecrets } from './secrets.ts';
export type { ToolRegistry } from './tool-registry.ts';
export {
  type ApprovalContext,
  asksFirst,
  type CallContext,
  type CallDescription,
  type CodeTarget,
  type EmbeddingUse,
  type Grantable,
  type ListOptions,
  type PersonAnswer,
  type Planning,
  type Question,
  type ToolFunction,
  type ToolGrantable,
  type ToolResult,
  type ToolRun,
} from './tool-type.ts';
export type { ToolRow } from './tools.store.ts';
export type { CallDesk, TransferOutcome } from './types/call-tools.ts';
export { describePassages } from './types/knowledge-search.ts';

export interface ToolDependencies extends Pick<Services, 'bots' | 'box' | 'database' | 'log' | 'registry'> {
  machines: Pick<MachineCheck, 'requireUse' | 'requireUseOfAll'>;
}

export type ToolService = ReturnType<typeof createToolService>;

export function createToolService({ database, bots, registry, machines, box, log }: ToolDependencies) {
  const secrets = createToolSecrets(box);
  const binder = createToolBinder({ registry, secrets, log });
  const botTools = createBotTools({ database, bots, registry, machines });

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

  return {
    get,

    catalog: (): CatalogEntry[] => registry.types.map(catalogEntry),

    list: (workspaceId: string, metadata: Record<string, string>): ListPages<Tool> =>
      inPages(
        (after) => toolStore.listPage(database.within(workspaceId), workspaceId, metadata, after),
        async (rows) => {
          const set = await secretsByTool(workspaceId, rows);
          return rows.map((row) => toWire(row, set.get(row.id) ?? [], registry.find(row.toolType)));
        },
      ),

    async read(workspaceId: string, toolId: string): Promise<Tool> {
      const row = await get(database.within(workspaceId), workspaceId, toolId);
      const set = await secretsByTool(workspaceId, [row]);
      return toWire(row, set.get(toolId) ?? [], registry.find(row.toolType));
    },

    findMany,

    async create(
      workspaceId: string,
      author: Approver,
      body: ToolCreate,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const type = registry.get(body.tool_type);
      const split = reportTogether((attempt) => {
        attempt(() => registry.checkPreset(type, body.preset_id));
        return checkedConfiguration(registry, type, body.configuration, {});
      });
      checkApprovals(type, undefined, split, author);
      if (body.is_default) checkDefault(type, split.open, author);
      await requireNamedMachine({ workspaceId, callerId: author.keyId, type }, split.open, machines);
      const id = newId();
      return database.within(workspaceId).transaction(async (tx) => {
        const tool = {
          id,
          toolType: type.type,
          name: body.name,
          description: body.description,
          presetId: body.preset_id ?? null,
          isDefault: body.is_default ?? false,
          createdBy: author.keyId,
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
    async update(workspaceId: string, author: Approver, toolId: string, body: ToolUpdate): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const row = await lock(tx, workspaceId, toolId);
        // What bots read of their tools tells them what to do. Anybody may switch a tool off.
        const botIds = isDeepStrictEqual(body, { is_active: false })
          ? []
          : await toolStore.listBotsWithTool(tx, workspaceId, toolId);
        if (botIds.length > 0) await botTools.requireMachines(tx, workspaceId, botIds, author.keyId);
        // An unchanged preset may be written back even if it is no longer in the catalog.
        const checkPreset = () =>
          body.preset_id === row.presetId || registry.checkPreset(registry.get(row.toolType), body.preset_id);
        const change = {
          ...(body.name !== undefined && { name: body.name }),
          ...(body.description !== undefined && { description: body.description }),
          ...(body.is_active !== undefined && { isActive: body.is_active }),
          ...(body.is_default !== undefined && { isDefault: body.is_default }),
          ...(body.preset_id !== undefined && { presetId: body.preset_id }),
          ...(body.metadata !== undefined && { metadata: body.metadata }),
        };
        const { configuration } = body;
        if (configuration === undefined) {
          checkPreset();
          const known = registry.find(row.toolType);
          if (known) {
            checkSwitch(known, row, change, author);
            if (change.isDefault && !row.isDefault) checkDefault(known, row.configuration, author);
            // Its name and description tell a model what to do there.
            const named = { workspaceId, callerId: author.keyId, type: known };
            await requireNamedMachine(named, row.configuration, machines, tx);
          }
          await toolStore.update(tx, workspaceId, toolId, change);
          return recordToolChanged(tx, row, { ...row, ...change });
        }
        const type = registry.get(row.toolType);
        const stored = secrets.open(await toolStore.listSecrets(tx, workspaceId, [toolId]));
        const split = reportTogether((attempt) => {
          attempt(checkPreset);
          return checkedConfiguration(registry, type, configuration, stored);
        });
        checkSecretsStay(type, row.configuration, split, Object.keys(stored));
        checkApprovals(type, row.configuration, split, author);
        checkSwitch(type, row, { ...change, configuration: split.open }, author);
        if (change.isDefault && !row.isDefault) checkDefault(type, split.open, author);
        await requireNamedMachine({ workspaceId, callerId: author.keyId, type }, split.open, machines, tx);
        const changed = { ...change, configuration: split.open };
        await toolStore.update(tx, workspaceId, toolId, changed);
        await secrets.write(tx, workspaceId, toolId, split.secrets);
        const secretsChanged = { before: Object.keys(stored), changes: split.secrets };
        await recordToolChanged(tx, row, { ...row, ...changed }, secretsChanged);
      });
    },

    async replaceMetadata(workspaceId: string, toolId: string, metadata: Record<string, string>) {
      await database.within(workspaceId).transaction(async (tx) => {
        const row = await lock(tx, workspaceId, toolId);
        await toolStore.update(tx, workspaceId, toolId, { metadata });
        await recordToolChanged(tx, row, { ...row, metadata });
      });
    },

    /** Deletes its secrets, assignments and hooks as well. */
    async delete(workspaceId: string, by: string, toolId: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        // The tool is locked before its bots, as when it is assigned; another order could deadlock.
        const row = await lock(tx, workspaceId, toolId);
        for (const botId of await toolStore.listBotsWithTool(tx, workspaceId, toolId)) {
          await bots.changeTools(tx, workspaceId, botId, by, async () => {
            const assignments = await toolStore.listAssignments(tx, workspaceId, botId);
            const left = assignments.filter((one) => one.toolConfigurationId !== toolId);
            return toolChange(left, registry);
          });
        }
        await toolStore.delete(tx, workspaceId, toolId);
        await recordToolDeleted(tx, row);
      });
    },

    /** Runs the tool once, for real, with these parameters. */
    async test(
      workspaceId: string,
      tester: Approver,
      toolId: string,
      parameters: Record<string, unknown>,
    ): Promise<ToolTestResult> {
      const found = await binder.configure(database.within(workspaceId), workspaceId, toolId);
      if (!found) throw notFound();
      const type = registry.get(found.toolType);
      return testTool({ database, type, tool: found.tool, isDraft: false, parameters, tester });
    },

    /** Whether some of a tool's calls ask a person first, and whether some change something without asking. */
    approvalsOf({ toolType, configuration }: Pick<ToolRow, 'toolType' | 'configuration'>) {
      const type = registry.find(toolType);
      return {
        mayAsk: type !== undefined && mayAsk(type, configuration),
        changesUnasked: type !== undefined && changesUnasked(type, configuration),
      };
    },

    ...botTools,
    ...createToolOffers({ database, bots, registry, secrets, binder }),
    ...createToolDrafts({ database, registry, secrets }),
  };

  function checkApprovals(
    type: ToolType,
    before: Configuration | undefined,
    after: ReturnType<typeof splitSecrets>,
    author: Approver,
  ): void {
    if (!isLooser(type, before, after)) return;
    const why = 'This lets calls of the tool, or its request for an access token, run without approval';
    requireApprover(author, 'configuration', why);
  }

  function checkSwitch(type: ToolType, before: ToolRow, change: Partial<ToolRow>, author: Approver): void {
    const after = { ...before, ...change };
    if (before.isActive || !after.isActive || !changesUnasked(type, after.configuration)) return;
    requireApprover(author, 'is_active', 'Calls of the tool change something without approval');
  }

  /** Every new bot may call it then, whoever creates that. Owners of machines allow each bot, so those cannot be defaults. */
  function checkDefault(type: ToolType, configuration: Configuration, author: Approver): void {
    if (type.codeTargetOf)
      throw invalid('is_default', `cannot be true for ${type.type}: the owner of a machine allows each bot`);
    if (changesUnasked(type, configuration))
      requireApprover(author, 'is_default', 'Calls of the tool change something without approval');
  }

  async function secretsByTool(workspaceId: string, rows: ToolRow[]): Promise<Map<string, string[]>> {
    if (rows.length === 0) return new Map();
    const ids = rows.map((row) => row.id);
    const found = await toolStore.listSecretFields(database.within(workspaceId), workspaceId, ids);
    const fields = new Map<string, string[]>();
    for (const { toolId, field } of found) fields.set(toolId, [...(fields.get(toolId) ?? []), field]);
    return fields;
  }
}
