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

/** Who saves, and the version that this brings back, if it does. */
export interface Saving {
  by: string;
  restoredFrom?: number;
}

/**
 * Keeps what a change makes of a bot as its next version and returns its number; keeps nothing when the configuration stays
 * as it is. The bot's row must be held, and the number be written on it.
 */
export async function keepVersion(
  tx: Transaction,
  bot: BotRow,
  { columns = {}, tools }: ConfigurationChange,
  { by, restoredFrom }: Saving,
): Promise<number | undefined> {
  const next = { ...bot, ...columns };
  // Most saves that are no version are known to be none without looking at the last one.
  if (!tools && changedFields(configurationOf(bot, []), configurationOf(next, [])).length === 0) {
    return undefined;
  }
  const newest = await versionStore.find(tx, bot.workspaceId, bot.id, bot.version);
  // Whoever changes a bot's tools keeps a version of it: the newest one knows them.
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
