import { isDeepStrictEqual } from 'node:util';
import type { BotTool } from '@svc/contract/bot-versions';
import { type AuditChange, recordChange } from '../audit/audit.service.ts';
import type { Transaction } from '../database/database.ts';
import type { BotRow } from './bots.store.ts';
import { versionStore } from './versions/bot-versions.store.ts';
import { configurationOf } from './versions/version-configuration.ts';

type Audited = Parameters<typeof configurationOf>[0] & Pick<BotRow, 'id' | 'status' | 'metadata'>;

/** `tools` are the workspace's default tools, which a new bot gets. */
export function recordBotCreated(
  tx: Transaction,
  workspaceId: string,
  bot: Audited,
  tools: BotTool[],
): Promise<void> {
  const object = { id: bot.id, name: bot.name };
  const changes = tools.length > 0 ? [{ field: 'tools', before: [], after: tools }] : [];
  return recordChange(tx, workspaceId, { action: 'bot.created', object, after: fieldsOf(bot), changes });
}

/** `tools` are those that the bot got in the same save; left out: it kept its own. `changes` are recorded too. */
export async function recordBotChanged(
  tx: Transaction,
  before: BotRow,
  after: BotRow,
  { tools, changes = [] }: { tools?: BotTool[] | undefined; changes?: AuditChange[] } = {},
): Promise<void> {
  const isStopped = before.status === 'active' && after.status !== 'active';
  await recordChange(tx, before.workspaceId, {
    action: isStopped ? 'bot.deactivated' : 'bot.updated',
    object: { id: before.id, name: after.name },
    before: fieldsOf(before),
    after: fieldsOf(after),
    changes: [...changes, ...(tools ? await toolChanges(tx, before, tools) : [])],
  });
}

export function recordBotRestored(tx: Transaction, before: BotRow, after: BotRow): Promise<void> {
  return recordChange(tx, before.workspaceId, {
    action: 'bot.restored',
    object: { id: before.id, name: after.name },
    before: fieldsOf(before),
    after: fieldsOf(after),
    changes: [{ field: 'version', before: before.version, after: after.version }],
  });
}

/** Call it with the bot as it was: its version names the tools that it had. */
export async function recordToolsChanged(tx: Transaction, bot: BotRow, tools: BotTool[]): Promise<void> {
  await recordChange(tx, bot.workspaceId, {
    action: 'bot.updated',
    object: { id: bot.id, name: bot.name },
    changes: await toolChanges(tx, bot, tools),
  });
}

async function toolChanges(tx: Transaction, bot: BotRow, tools: BotTool[]) {
  const last = await versionStore.find(tx, bot.workspaceId, bot.id, bot.version);
  const before = last?.configuration.tools ?? [];
  return isDeepStrictEqual(before, tools) ? [] : [{ field: 'tools', before, after: tools }];
}

/** Under the names that a write body has. The prompt follows from the builder, and tools are recorded where they are assigned. */
function fieldsOf(bot: Audited): Record<string, unknown> {
  const { settings, tools: _tools, prompt_builder: _builder, ...fields } = configurationOf(bot, []);
  return { ...settings, ...fields, status: bot.status, metadata: bot.metadata };
}
