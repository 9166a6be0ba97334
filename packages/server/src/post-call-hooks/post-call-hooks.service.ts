import { isDeepStrictEqual } from 'node:util';
import type { PostCallHook, PostCallHookCreate, PostCallHookUpdate } from '@svc/contract/post-call-hooks';
import { recordChange } from '../audit/audit.service.ts';
import { type Transaction, violates } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import { AppError, notFound } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import type { Services } from '../services.ts';
import { type Approver, requireApprover, type ToolRow } from '../tools/tools.service.ts';
import { checkTemplate } from './hook-template.ts';
import {
  type HookChange,
  type HookRef,
  type HookRow,
  hookStore,
  onePerTool,
} from './post-call-hooks.store.ts';

export {
  type CallField,
  callFields,
  functionKey,
  lonePlaceholder,
  maxDepth,
  placeholder,
} from './hook-template.ts';

/** A hook that runs after a call, with its tool as it is called now. */
export interface EnabledHook extends Pick<HookRow, 'id' | 'toolConfigurationId' | 'paramsTemplate'> {
  toolName: string;
  toolType: string;
}

/** Why a hook does not run although it is enabled. */
const suspended =
  'The calls of its tool need approval or change something, and it is not the tool that was confirmed. It runs again when somebody who may answer approvals confirms it.';
/** Each may take a minute, and those of a call have an hour together. */
const maxEnabled = 50;

export type PostCallHookService = ReturnType<typeof createPostCallHookService>;

/** Manages which tools run after a bot's call has ended. */
export function createPostCallHookService({
  database,
  bots,
  tools,
}: Pick<Services, 'bots' | 'database' | 'tools'>) {
  async function checkRoom(tx: Transaction, workspaceId: string, botId: string): Promise<void> {
    if ((await hookStore.countEnabled(tx, workspaceId, botId)) < maxEnabled) return;
    throw new AppError('VALIDATION_FAILED', {
      message: `A bot can have at most ${maxEnabled} hooks that are enabled.`,
      details: [{ path: 'enabled', most: maxEnabled }],
    });
  }

  function needsConfirmation(tool: ToolRow): boolean {
    const { mayAsk, changesUnasked } = tools.approvalsOf(tool);
    return mayAsk || changesUnasked;
  }

  /**
   * What its author lets run. Nobody is asked when a hook runs: a tool that asks, or that changes something, is for those who may
   * answer approvals. Throws FORBIDDEN.
   */
  function confirm(tool: ToolRow, author: Approver): ToolRow['configuration'] | null {
    if (!needsConfirmation(tool)) return null;
    const why =
      'Nobody is asked when a hook runs, and the calls of this tool need approval or change something';
    requireApprover(author, 'tool_configuration_id', why);
    return tool.configuration;
  }

  /** Its tool asks or changes something, and nobody has confirmed that this hook may run it as it is. */
  function isSuspended({ confirmedConfiguration }: HookRow, tool: ToolRow): boolean {
    return needsConfirmation(tool) && !isDeepStrictEqual(confirmedConfiguration, tool.configuration);
  }

  return {
    async *list(workspaceId: string, botId: string): ListPages<PostCallHook> {
      await bots.getRow(workspaceId, botId);
      return yield* inPages(
        (after) => hookStore.listPage(database.within(workspaceId), workspaceId, botId, after),
        async (rows) => {
          const toolIds = rows.map((hook) => hook.toolConfigurationId);
          const byId = await tools.findMany(database.within(workspaceId), workspaceId, toolIds);
          return rows.map((hook) => {
            const tool = byId.get(hook.toolConfigurationId);
            return toWire(hook, tool, tool && isSuspended(hook, tool) ? suspended : null);
          });
        },
      );
    },

    /** Those that run after a call which ends now, in order. */
    async listEnabled(tx: Transaction, workspaceId: string, botId: string): Promise<EnabledHook[]> {
      const rows = await hookStore.listEnabled(tx, workspaceId, botId);
      const ids = rows.map((hook) => hook.toolConfigurationId);
      const byId = await tools.findMany(tx, workspaceId, ids);
      return rows.flatMap(({ id, toolConfigurationId, paramsTemplate }) => {
        const tool = byId.get(toolConfigurationId);
        if (!tool) return [];
        return { id, toolConfigurationId, paramsTemplate, toolName: tool.name, toolType: tool.toolType };
      });
    },

    /** Why a hook must not run now; null if it may. One that was removed meanwhile is judged as if nobody had confirmed it. */
    async suspensionOf(workspaceId: string, hookId: string, toolId: string): Promise<string | null> {
      const hook = await hookStore.find(database.within(workspaceId), workspaceId, hookId);
      const tool = await tools.get(database.within(workspaceId), workspaceId, toolId);
      const isConfirmed = hook?.toolConfigurationId === toolId && !isSuspended(hook, tool);
      return isConfirmed || !needsConfirmation(tool) ? null : suspended;
    },

    async create(
      workspaceId: string,
      author: Approver,
      botId: string,
      body: PostCallHookCreate,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      await bots.getRow(workspaceId, botId);
      if (body.params_template) checkTemplate(body.params_template);
      const id = newId();
      const toolConfigurationId = body.tool_configuration_id;
      return translatingConflict(() =>
        database.within(workspaceId).transaction(async (tx) => {
          const tool = await tools.get(tx, workspaceId, toolConfigurationId);
          const confirmedConfiguration = confirm(tool, author);
          // Locked, so that two requests together cannot exceed the limit.
          await bots.lock(tx, workspaceId, botId);
          if (body.enabled ?? true) await checkRoom(tx, workspaceId, botId);
          const hook = { ...toChange(body), id, botId, toolConfigurationId, confirmedConfiguration };
          await hookStore.insert(tx, workspaceId, hook);
          const after = { bot_id: botId, ...body };
          await recordChange(tx, workspaceId, { action: 'hook.created', object: { id }, after });
          await record(tx, { id });
          return { id };
        }),
      );
    },

    async update(workspaceId: string, author: Approver, place: HookRef, body: PostCallHookUpdate) {
      if (body.params_template) checkTemplate(body.params_template);
      await translatingConflict(() =>
        database.within(workspaceId).transaction(async (tx) => {
          const change = toChange(body);
          if (change.toolConfigurationId) await tools.get(tx, workspaceId, change.toolConfigurationId);
          if (change.enabled) await bots.lock(tx, workspaceId, place.botId);
          const before = await hookStore.lock(tx, workspaceId, place);
          if (!before) throw notFound();
          const wanted = { ...before, ...change };
          // Whoever may not approve its calls may still put an end to them, or move them.
          const decides = body.confirm === true || (wanted.enabled && !runsTheSame(before, wanted));
          const tool = decides && (await tools.get(tx, workspaceId, wanted.toolConfigurationId));
          if (tool) change.confirmedConfiguration = confirm(tool, author);
          const after = { ...wanted, ...change };
          if (after.enabled && !before.enabled) await checkRoom(tx, workspaceId, place.botId);
          await hookStore.update(tx, workspaceId, place, change);
          await recordChange(tx, workspaceId, {
            action: 'hook.updated',
            object: { id: place.hookId },
            before: auditedFields(before),
            after: auditedFields(after),
            changes:
              tool && after.confirmedConfiguration ? [{ field: 'confirmed', before: null, after: true }] : [],
          });
        }),
      );
    },

    async delete(workspaceId: string, place: HookRef): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const before = await hookStore.lock(tx, workspaceId, place);
        if (!before) throw notFound();
        await hookStore.delete(tx, workspaceId, place);
        const object = { id: place.hookId };
        await recordChange(tx, workspaceId, {
          action: 'hook.deleted',
          object,
          before: auditedFields(before),
        });
      });
    },
  };
}

function runsTheSame(before: HookRow, after: HookRow): boolean {
  return (
    before.enabled === after.enabled &&
    before.toolConfigurationId === after.toolConfigurationId &&
    isDeepStrictEqual(before.paramsTemplate, after.paramsTemplate)
  );
}

async function translatingConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (violates(error, onePerTool)) throw new AppError('HOOK_EXISTS', { cause: error });
    throw error;
  }
}

function toChange(body: PostCallHookUpdate): HookChange {
  return {
    ...(body.tool_configuration_id !== undefined && { toolConfigurationId: body.tool_configuration_id }),
    ...(body.run_order !== undefined && { runOrder: body.run_order }),
    ...(body.enabled !== undefined && { enabled: body.enabled }),
    ...(body.params_template !== undefined && { paramsTemplate: body.params_template }),
  };
}

function auditedFields(hook: HookRow): object {
  return {
    bot_id: hook.botId,
    tool_configuration_id: hook.toolConfigurationId,
    run_order: hook.runOrder,
    enabled: hook.enabled,
    params_template: hook.paramsTemplate,
  };
}

function toWire(hook: HookRow, tool: ToolRow | undefined, suspension: string | null): PostCallHook {
  return {
    id: hook.id,
    bot_id: hook.botId,
    tool_configuration_id: hook.toolConfigurationId,
    tool_type: tool?.toolType ?? '',
    tool_name: tool?.name ?? '',
    run_order: hook.runOrder,
    enabled: hook.enabled,
    suspended: suspension,
    params_template: hook.paramsTemplate,
    created_at: hook.createdAt.toISOString(),
    updated_at: hook.updatedAt.toISOString(),
  };
}
