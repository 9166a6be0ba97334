import { isDeepStrictEqual } from 'node:util';
import type {
  BotTool,
  BotVersion,
  BotVersionDetail,
  Restored,
  VersionQuery,
} from '@svc/contract/bot-versions';
import { BotUpdate } from '@svc/contract/bots';
import type { Transaction } from '../../database/database.ts';
import type { RecordAnswer } from '../../idempotency/idempotency.service.ts';
import { AppError, notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import { compileCheck } from '../../validation/checker.ts';
import { recordBotRestored } from '../bot-audit.ts';
import { restoringChange } from '../bot-changes.ts';
import type { RequireMachines } from '../bots.service.ts';
import { botStore } from '../bots.store.ts';
import { type Author, checkNotice } from '../notice-rule.ts';
import { type VersionRow, type VersionSummary, versionStore } from './bot-versions.store.ts';
import { keepVersion } from './keep-version.ts';
import { columnsOf } from './version-configuration.ts';

/** Implemented by the tools, which may import the bots but not the other way round. */
export interface ToolReplacement {
  /**
   * Checks that a bot can have these tools, and locks them against deletion until the transaction ends. Throws
   * VALIDATION_FAILED that names each missing one, and FORBIDDEN if the author may not give them to the bot.
   */
  prepare(
    tx: Transaction,
    workspaceId: string,
    tools: BotTool[],
    assigning?: { botId: string; author: Author },
  ): Promise<PreparedTools>;
  requireMachines: RequireMachines;
}

export interface PreparedTools {
  /** One of them works on a paired machine. */
  usesMachine: boolean;
  assignTo(botId: string): Promise<void>;
}

export interface BotVersionDependencies extends Pick<Services, 'bots' | 'clock' | 'database'> {
  tools: ToolReplacement;
}

export type BotVersionService = ReturnType<typeof createBotVersionService>;

const defaultLimit = 100;
/** The rules for saving may have changed since: a version must satisfy the current ones. */
const checkFields = compileCheck<BotUpdate>(BotUpdate);

/** Reads and restores versions of bots. */
export function createBotVersionService({ database, bots, tools, clock }: BotVersionDependencies) {
  return {
    async list(workspaceId: string, botId: string, { limit = defaultLimit, before }: VersionQuery) {
      await bots.getRow(workspaceId, botId);
      const page = { limit: limit + 1, ...(before !== undefined && { before }) };
      const rows = await versionStore.list(database.within(workspaceId), workspaceId, botId, page);
      const versions = rows.slice(0, limit);
      return {
        versions: versions.map(toWire),
        next: rows.length > limit ? versions.at(-1)?.number : undefined,
      };
    },

    async get(workspaceId: string, botId: string, number: number): Promise<BotVersionDetail> {
      const row = await getVersion(workspaceId, botId, number);
      return { ...toWire(row), configuration: row.configuration };
    },

    /** Throws VERSION_UNUSABLE when tools of a version are gone; the others are locked until the transaction ends. */
    async holdTools(tx: Transaction, workspaceId: string, botId: string, number: number): Promise<void> {
      const version = await versionStore.find(tx, workspaceId, botId, number);
      if (!version) throw notFound();
      await saying(`Version ${number} cannot be used`, () =>
        tools.prepare(tx, workspaceId, version.configuration.tools),
      );
    },

    /** Restores a version as a new version; all of it or nothing. */
    async restore(
      workspaceId: string,
      author: Author,
      { botId, number }: { botId: string; number: number },
      record: RecordAnswer<Restored>,
    ): Promise<Restored> {
      const { configuration } = await getVersion(workspaceId, botId, number);
      const columns = columnsOf(configuration);
      const current = await bots.getRow(workspaceId, botId);
      checkNotice(current.settings, columns.settings, author);
      await saying(`Version ${number} cannot be restored`, async () => {
        const { tools: _later, ...fields } = configuration;
        checkFields(fields, '');
        restoringChange(columns, current, clock.now());
        bots.checkSettings(columns, current);
        await bots.checkVoice(columns.settings);
      });
      return database.within(workspaceId).transaction(async (tx) => {
        await author.confirm(tx);
        // The tools are locked first, as when they are assigned: another order could deadlock.
        const prepared = await saying(`Version ${number} cannot be restored`, () =>
          tools.prepare(tx, workspaceId, configuration.tools, { botId, author }),
        );
        const bot = await bots.lock(tx, workspaceId, botId);
        checkNotice(bot.settings, columns.settings, author);
        checkTools(await bots.toolsOf(tx, workspaceId, botId, bot.version), configuration.tools, author);
        const saving = { by: author.keyId, restoredFrom: number };
        const change = { columns, tools: configuration.tools };
        const version = await keepVersion(tx, bot, change, saving);
        if (version !== undefined) {
          const columnsNow = restoringChange(columns, bot, clock.now());
          const { usesMachine } = prepared;
          await botStore.update(tx, workspaceId, botId, { ...columnsNow, usesMachine, version });
          await prepared.assignTo(botId);
          if (usesMachine) await tools.requireMachines(tx, workspaceId, [botId], author.keyId);
          await recordBotRestored(tx, bot, { ...bot, ...columnsNow, version });
        }
        const answer = {
          message: `The bot is as it was in version ${number}.`,
          version: version ?? bot.version,
        };
        await record(tx, answer);
        return answer;
      });
    },
  };

  async function getVersion(workspaceId: string, botId: string, number: number): Promise<VersionRow> {
    const row = await versionStore.find(database.within(workspaceId), workspaceId, botId, number);
    if (!row) throw notFound();
    return row;
  }
}

/** Throws FORBIDDEN unless the tools stay the same or the author may assign tools. */
function checkTools(before: BotTool[], after: BotTool[], { abilities }: Author): void {
  const ability = 'tools:write';
  if (isDeepStrictEqual(before, after) || abilities.has(ability)) return;
  throw new AppError('FORBIDDEN', {
    message: `The version has other tools, so the key also needs the ability ${ability}.`,
    details: [{ path: 'tools', ability }],
  });
}

/** Faults of a stored configuration are not faults of the request. */
async function saying<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') throw error;
    throw new AppError('VERSION_UNUSABLE', {
      message: `${what}: ${error.message}`,
      ...(error.details && { details: error.details }),
    });
  }
}

function toWire(row: VersionSummary): BotVersion {
  return {
    number: row.number,
    created_at: row.createdAt.toISOString(),
    created_by: row.createdBy,
    changes: row.changes,
    restored_from: row.restoredFrom,
  };
}
