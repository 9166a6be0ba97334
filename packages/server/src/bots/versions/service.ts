import type {
  BotTool,
  BotVersion,
  BotVersionDetail,
  Restored,
  VersionQuery,
} from '@svc/contract/bot-versions';
import { BotUpdate } from '@svc/contract/bots';
import { AppError, notFound } from '../../app-error.ts';
import type { Clock } from '../../clock.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { RecordAnswer } from '../../idempotency/service.ts';
import { compileCheck } from '../../validation/checker.ts';
import { restoringChange } from '../changes.ts';
import { type Author, checkNotice } from '../notice-rule.ts';
import type { BotService } from '../service.ts';
import { botStore } from '../store.ts';
import { columnsOf } from './configuration.ts';
import { keepVersion } from './keep-version.ts';
import { type VersionRow, type VersionSummary, versionStore } from './store.ts';

/** Filled in by the tools, which stand above the bots. */
export interface ToolReplacement {
  /**
   * Checks that a bot can have these tools, and keeps them from being deleted while the transaction lasts. Throws
   * VALIDATION_FAILED that names each one that is no longer there. Returns how to make them the bot's.
   */
  prepare(tx: Transaction, workspaceId: string, tools: BotTool[]): Promise<(botId: string) => Promise<void>>;
}

export interface BotVersionDependencies {
  database: Database;
  bots: Pick<BotService, 'getRow' | 'hold' | 'checkSettings'>;
  tools: ToolReplacement;
  clock: Clock;
}

export interface VersionPage {
  versions: BotVersion[];
  /** The cursor of the next page; undefined on the last. */
  next: number | undefined;
}

export type BotVersionService = ReturnType<typeof createBotVersionService>;

const defaultLimit = 100;
/** What may be saved can change with the service: a version is held to what holds now. */
const checkFields = compileCheck<BotUpdate>(BotUpdate);

/** What a bot was, and making it so again. */
export function createBotVersionService({ database, bots, tools, clock }: BotVersionDependencies) {
  return {
    async list(
      workspaceId: string,
      botId: string,
      { limit = defaultLimit, before }: VersionQuery,
    ): Promise<VersionPage> {
      await bots.getRow(workspaceId, botId);
      const page = { limit: limit + 1, ...(before !== undefined && { before }) };
      const rows = await versionStore.list(database.query, workspaceId, botId, page);
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

    /** Throws VERSION_UNUSABLE when tools of a version are gone; those that are there stay until the transaction ends. */
    async holdTools(tx: Transaction, workspaceId: string, botId: string, number: number): Promise<void> {
      const version = await versionStore.find(tx, workspaceId, botId, number);
      if (!version) throw notFound();
      await saying(`Version ${number} cannot be used`, () =>
        tools.prepare(tx, workspaceId, version.configuration.tools),
      );
    },

    /** Makes a version the bot's configuration again, as a new version; all of it or nothing. */
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
        await bots.checkSettings(columns, current);
      });
      return database.transaction(async (tx) => {
        // The tools first, as when they are assigned: another order could deadlock with that.
        const replaceTools = await saying(`Version ${number} cannot be restored`, () =>
          tools.prepare(tx, workspaceId, configuration.tools),
        );
        const bot = await bots.hold(tx, workspaceId, botId);
        checkNotice(bot.settings, columns.settings, author);
        const saving = { by: author.keyId, restoredFrom: number };
        const change = { columns, tools: configuration.tools };
        const version = await keepVersion(tx, bot, change, saving);
        if (version !== undefined) {
          const columnsNow = restoringChange(columns, bot, clock.now());
          await botStore.update(tx, workspaceId, botId, { ...columnsNow, version });
          await replaceTools(botId);
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
    const row = await versionStore.find(database.query, workspaceId, botId, number);
    if (!row) throw notFound();
    return row;
  }
}

/** What is wrong with a stored configuration is nothing that the caller sent. */
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
