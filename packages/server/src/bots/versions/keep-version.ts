import type { BotTool } from '@svc/contract/bot-versions';
import type { Transaction } from '../../database/database.ts';
import type { BotChange, BotRow } from '../store.ts';
import { changedFields, configurationOf } from './configuration.ts';
import { versionStore } from './store.ts';

export interface ConfigurationChange {
  columns?: BotChange;
  /** Left out: the bot keeps its tools. */
  tools?: BotTool[];
}

/** The author, and the version that is restored, if any. */
export interface Saving {
  by: string;
  restoredFrom?: number;
}

/**
 * Stores the changed configuration of a bot as its next version and returns the number; stores nothing when it stays the
 * same. The caller must have locked the bot's row, and write the number to it.
 */
export async function keepVersion(
  tx: Transaction,
  bot: BotRow,
  { columns = {}, tools }: ConfigurationChange,
  { by, restoredFrom }: Saving,
): Promise<number | undefined> {
  const next = { ...bot, ...columns };
  // Most saves that change nothing are recognised without reading the last version.
  if (!tools && changedFields(configurationOf(bot, []), configurationOf(next, [])).length === 0) {
    return undefined;
  }
  const newest = await versionStore.find(tx, bot.workspaceId, bot.id, bot.version);
  // Every change of a bot's tools stores a version, so the newest one knows them.
  const before = newest?.configuration.tools ?? [];
  const configuration = configurationOf(next, tools ?? before);
  const changes = changedFields(configurationOf(bot, before), configuration);
  if (changes.length === 0) return undefined;
  const number = bot.version + 1;
  await versionStore.insert(tx, bot.workspaceId, {
    botId: bot.id,
    number,
    createdBy: by,
    changes,
    restoredFrom: restoredFrom ?? null,
    configuration,
  });
  return number;
}
