import type { BotTool } from '@svc/contract/bot-versions';
import type { Transaction } from '../../database/database.ts';
import type { BotChange, BotRow } from '../bots.store.ts';
import { versionStore } from './bot-versions.store.ts';
import { changedFields, configurationOf } from './version-configuration.ts';

export interface ConfigurationChange {
  columns?: BotChange;
  /** Left out: the bot keeps its tools. */
  tools?: BotTool[];
}

/** The author, and the version that is restored, if any. */
export interface Saving {
  /** Null when a setting went with the rights of a member: whoever made the bot what it is stays its author. */
  by: string | null;
  restoredFrom?: number;
  /** It can use machines again: a version is stored in any case, because its schedule acts for whoever made it active. */
  activates?: boolean;
}

/**
 * Stores the changed configuration of a bot as its next version and returns the number; stores nothing when it stays the
 * same. The caller must have locked the bot's row, and write the number to it.
 */
export async function keepVersion(
  tx: Transaction,
  bot: BotRow,
  { columns = {}, tools }: ConfigurationChange,
  { by, restoredFrom, activates = false }: Saving,
): Promise<number | undefined> {
  const next = { ...bot, ...columns };
  // Most saves that change nothing are recognised without reading the last version.
  if (
    !tools &&
    !activates &&
    changedFields(configurationOf(bot, []), configurationOf(next, [])).length === 0
  ) {
    return undefined;
  }
  const newest = await versionStore.find(tx, bot.workspaceId, bot.id, bot.version);
  // Every change of a bot's tools stores a version, so the newest one knows them.
  const before = newest?.configuration.tools ?? [];
  const configuration = configurationOf(next, tools ?? before);
  const changes = changedFields(configurationOf(bot, before), configuration);
  if (activates) changes.push('status');
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
