import { isDeepStrictEqual } from 'node:util';
import type { BotTool } from '@svc/contract/bot-versions';
import type { Bot, BotCreate, BotSettings, BotUpdate } from '@svc/contract/bots';
import { LRUCache } from 'lru-cache';
import type { Queryable, Transaction } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import { type RecordAnswer, recordNothing } from '../idempotency/idempotency.service.ts';
import { AppError, notFound } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import { limitOf } from '../limits/workspace-limits.ts';
import type { Services } from '../services.ts';
import { reportTogether } from '../validation/report-together.ts';
import { recordBotChanged, recordBotCreated, recordToolsChanged } from './bot-audit.ts';
import { botChange, newBot, requirePrompt } from './bot-changes.ts';
import { type BotChange, type BotReading, type BotRow, botStore, type DueMoment } from './bots.store.ts';
import { toWire } from './bots.wire.ts';
import { type Author, checkNotice } from './notice-rule.ts';
import { createSettingsCheck, type SettingsCheckDependencies } from './settings-check.ts';
import { versionStore } from './versions/bot-versions.store.ts';
import { keepVersion, type Saving } from './versions/keep-version.ts';
import { changedFields, columnsOf, configurationOf } from './versions/version-configuration.ts';

export type { BotRow, DueMoment } from './bots.store.ts';
export { toWire as toWireBot } from './bots.wire.ts';
export { describeSchedule } from './schedule/describe-schedule.ts';
export { findSchedule, parseSchedule, type Schedule } from './schedule/schedule.ts';
export { nextSlot, slotsBetween, slotsWithin } from './schedule/slots.ts';
export { findTimeZone, type TimeZone } from './schedule/time-zone.ts';
export type { VoiceCheck } from './settings-check.ts';

/** The tools that a bot gets. */
export interface ToolChange {
  tools: BotTool[];
  /** One of them works on a paired machine. */
  usesMachine: boolean;
}

/**
 * Throws FORBIDDEN unless the caller may use every machine that one of these bots works on. Implemented by the tools, which may
 * import the bots but not the other way round.
 */
export type RequireMachines = (
  query: Queryable,
  workspaceId: string,
  botIds: string[],
  callerId: string | undefined,
) => Promise<void>;

/**
 * The default tools of a workspace, locked until the transaction ends; `assignTo` gives them to a new bot. Implemented by the
 * tools too.
 */
export type PlanDefaultTools = (
  tx: Transaction,
  workspaceId: string,
) => Promise<{ tools: BotTool[]; assignTo(botId: string): Promise<void> }>;

/** Tools that a bot gets together with other changes. */
export interface PlannedTools extends ToolChange {
  /** Writes them, in the transaction that they were planned in. */
  assign(): Promise<void>;
}

export interface SaveOptions {
  /** The version that the change was made from: BOT_CHANGED is thrown if there is a newer one. */
  from?: number;
  /** Plans the tools that the bot gets in the same version. Left out: it keeps its own. */
  planTools?: ((tx: Transaction) => Promise<PlannedTools>) | undefined;
}

export interface BotDependencies
  extends SettingsCheckDependencies,
    Pick<Services, 'clock' | 'database' | 'planDefaultTools' | 'requireMachines' | 'workspaces'>,
    Partial<Pick<Services, 'meters'>> {}

/** What a new bot's first version is compared with. */
const nothing = configurationOf({ ...newBot, name: '', systemPrompt: '' }, []);

/** Close to the limit of stored bots, bots are created one at a time, so that the limit holds. */
const countedAlone = 100;

export type BotService = ReturnType<typeof createBotService>;

/** A member, and everything in whose name they may have made something. */
interface Holder {
  email: string;
  creators: string[];
}

/** Approval notices that go to a member, or that they set: whoever gets one can answer by its link. */
export const heldNotices = {
  list: botStore.listNotices,

  /** Only the address goes where somebody else has set the notice. */
  async revoke(tx: Transaction, workspaceId: string, botId: string, reason: string, holder: Holder) {
    const bot = await botStore.lock(tx, workspaceId, botId);
    const [held] = await botStore.listNotices(tx, workspaceId, { ...holder, botId });
    if (!bot || !held) return;
    const { approval_notice: notice, ...others } = bot.settings;
    const { webhook_url: url } = notice ?? {};
    const settings = held.isSetter || !url ? others : { ...others, approval_notice: { webhook_url: url } };
    const version = await keepVersion(tx, bot, { columns: { settings } }, { by: null });
    await botStore.update(tx, workspaceId, botId, { settings, ...(version !== undefined && { version }) });
    const why = [{ field: 'reason', before: null, after: reason }];
    await recordBotChanged(tx, bot, { ...bot, settings }, { changes: why });
  },
};

export function createBotService(dependencies: BotDependencies) {
  const { database, workspaces, requireMachines, planDefaultTools, clock, meters } = dependencies;
  const { checkSettings, checkModel, checkVoice } = createSettingsCheck(dependencies);
  const memory = createBotMemory();
  return {
    list: (workspaceId: string, metadata: Record<string, string>): ListPages<Bot> =>
      inPages(
        (after) => botStore.listPage(database.within(workspaceId), workspaceId, metadata, after),
        (rows) => rows.map(toWire),
      ),

    async get(workspaceId: string, botId: string): Promise<Bot> {
      return toWire(await getRow(workspaceId, botId));
    },

    /** The rows behind `list`, a page at a time. */
    listRows: (workspaceId: string): ListPages<BotRow> =>
      inPages(
        (after) => botStore.listPage(database.within(workspaceId), workspaceId, {}, after),
        (rows) => rows,
      ),

    getRow,
    lock,

    /** The tools of a version or a draft; none if it is gone. */
    async toolsOf(query: Queryable, workspaceId: string, botId: string, version: number): Promise<BotTool[]> {
      return (await versionStore.find(query, workspaceId, botId, version))?.configuration.tools ?? [];
    },

    /** The member or account key that made the bot what it is; undefined if neither is known. */
    authorOf: (
      query: Queryable,
      { id, workspaceId, version }: Pick<BotRow, 'id' | 'workspaceId' | 'version'>,
    ) => versionStore.findAuthor(query, workspaceId, id, version),

    /**
     * An active bot as it was last read here, for callers that check its revision when they write. Read from the database
     * when it is not known or `isFresh` is set: then there is no revision to check.
     */
    async recall(workspaceId: string, botId: string, isFresh: boolean) {
      const known = isFresh ? undefined : memory.recall(workspaceId, botId);
      if (!isFresh) meters?.cacheLookups.add(1, 'bots', known ? 'hit' : 'miss');
      if (known) return known;
      const reading = await botStore.read(database.within(workspaceId), workspaceId, botId);
      if (!reading) throw notFound();
      if (reading.bot.status === 'active') memory.remember(reading);
      return { bot: reading.bot, revision: null };
    },

    /** As seen by the caller's transaction; undefined when there is no such bot. */
    async findSettings(
      tx: Transaction,
      workspaceId: string,
      botId: string,
    ): Promise<BotSettings | undefined> {
      return (await botStore.find(tx, workspaceId, botId))?.settings;
    },

    /**
     * Records which tools a bot has, as its next version if they changed, and returns whether they did. The bot is locked
     * before `decide` is called, so that the later of two simultaneous changes sees the result of the other.
     */
    async changeTools(
      tx: Transaction,
      workspaceId: string,
      botId: string,
      by: string,
      decide: () => Promise<ToolChange>,
    ): Promise<boolean> {
      const bot = await lock(tx, workspaceId, botId);
      const { tools, usesMachine } = await decide();
      const version = await keepVersion(tx, bot, { tools }, { by });
      const changed = { toolCount: tools.length, usesMachine, version: version ?? bot.version };
      await botStore.setTools(tx, workspaceId, botId, changed);
      if (version !== undefined) await recordToolsChanged(tx, bot, tools);
      return version !== undefined;
    },

    checkSettings,
    checkVoice,

    listDue: (moment: DueMoment, limit: number) =>
      botStore.listDueAcrossWorkspaces(database.acrossWorkspaces, moment, limit),
    lockDue: botStore.lockDue,
    setNextRun: botStore.setNextRun,
    /** Records when an agent last started a run; false when it is not an active agent. */
    noteRun: botStore.noteRun,

    /** Throws what is wrong with the fields of a new bot. Nothing is stored. */
    checkNew: (body: BotCreate): Promise<void> => checkVoice(madeOf(body).settings),

    async create(workspaceId: string, author: Author, body: BotCreate, record: RecordAnswer<{ id: string }>) {
      const made = madeOf(body);
      const hasNotice = checkNotice({}, made.settings ?? {}, author);
      await checkVoice(made.settings);
      const bot = { ...newBot, ...made, id: newId(), name: body.name };
      const answer = { id: bot.id };
      const insert = async (tx: Transaction, most: number | null) => {
        if (hasNotice) await author.confirm(tx);
        const { tools, assignTo } = await planDefaultTools(tx, workspaceId);
        const configuration = configurationOf(bot, tools);
        const first = { by: author.keyId, configuration, changes: changedFields(nothing, configuration) };
        const toolCount = tools.length;
        if (!(await botStore.insert(tx, workspaceId, { ...bot, toolCount }, first, most))) return false;
        if (toolCount > 0) await assignTo(bot.id);
        await recordBotCreated(tx, workspaceId, bot, tools);
        return true;
      };
      // Only checking the plan or recording the response needs the lock.
      const { maxBots, limits } = await workspaces.get(workspaceId);
      const most = limitOf(limits, 'stored_bots');
      const isPlain = maxBots === null && record === recordNothing;
      const unlocked = most === null ? null : Math.max(0, most - countedAlone);
      if (isPlain && (await database.within(workspaceId).transaction((tx) => insert(tx, unlocked))))
        return answer;
      return database.within(workspaceId).transaction(async (tx) => {
        const plan = await workspaces.lockPlan(tx, workspaceId);
        if (bot.status === 'active') await admitActiveBot(tx, workspaceId, plan);
        const limitNow = limitOf(plan.limits, 'stored_bots');
        if (!(await insert(tx, limitNow))) throw tooManyStored(limitNow);
        await record(tx, answer);
        return answer;
      });
    },

    /** Returns the version that the bot has then. Anybody may stop a bot, even one that works on a machine. */
    async update(workspaceId: string, author: Author, botId: string, body: BotUpdate, options?: SaveOptions) {
      const decide = (bot: BotRow) =>
        botChange(body, bot, clock.now(), (fields) => {
          checkNotice(bot.settings, fields.settings ?? bot.settings, author);
          checkSettings(fields, bot);
        });
      const current = await getRow(workspaceId, botId);
      await checkVoice(decide(current).settings);
      // Decided again for the locked bot, which may have changed since it was read.
      return change(
        workspaceId,
        botId,
        decide,
        { by: author.keyId },
        { ...options, confirm: author.confirm, isStop: isDeepStrictEqual(body, { status: 'inactive' }) },
      );
    },

    async switchModel(workspaceId: string, by: string, botId: string, model: string): Promise<void> {
      await getRow(workspaceId, botId);
      checkModel(model);
      await change(workspaceId, botId, (bot) => ({ settings: { ...bot.settings, model } }), { by });
    },

    async replaceMetadata(workspaceId: string, botId: string, metadata: Record<string, string>) {
      await change(workspaceId, botId, () => ({ metadata }));
    },

    /** Soft: the bot is kept, and can be made active again. */
    async delete(workspaceId: string, botId: string): Promise<void> {
      await change(workspaceId, botId, () => ({ status: 'inactive', nextRunAt: null }));
    },
  };

  function madeOf(body: BotCreate): BotChange & { systemPrompt: string } {
    const check = (fields: BotChange) =>
      reportTogether((attempt) => {
        attempt(() => requirePrompt(body));
        checkSettings(fields);
      });
    const made = botChange(body, undefined, clock.now(), check);
    return { ...made, systemPrompt: made.systemPrompt ?? '' };
  }

  /** The bot as it is, or as it was in one of its versions. */
  async function getRow(workspaceId: string, botId: string, version?: number): Promise<BotRow> {
    const row = await botStore.find(database.within(workspaceId), workspaceId, botId);
    if (!row) throw notFound();
    if (version === undefined) return row;
    const kept = await versionStore.find(database.within(workspaceId), workspaceId, botId, version);
    if (!kept) throw notFound();
    return { ...row, ...columnsOf(kept.configuration), version };
  }

  /** The bot, locked until the transaction ends. */
  async function lock(tx: Transaction, workspaceId: string, botId: string): Promise<BotRow> {
    const row = await botStore.lock(tx, workspaceId, botId);
    if (!row) throw notFound();
    return row;
  }

  /** `saving` is left out where no part of the configuration can change. */
  function change(
    workspaceId: string,
    botId: string,
    decide: (bot: BotRow) => BotChange,
    saving?: Saving,
    {
      from,
      planTools,
      confirm,
      isStop,
    }: SaveOptions & Partial<Pick<Author, 'confirm'>> & { isStop?: boolean } = {},
  ): Promise<number> {
    return database.within(workspaceId).transaction(async (tx) => {
      await confirm?.(tx);
      // Tools are locked before their bot, as when they are assigned: another order could deadlock.
      const planned = await planTools?.(tx);
      const bot = await lock(tx, workspaceId, botId);
      if (from !== undefined && bot.version !== from)
        throw new AppError('BOT_CHANGED', { details: [{ version: bot.version }] });
      const decided = decide(bot);
      const activates = decided.status === 'active' && bot.status !== 'active';
      if (activates) await admitActiveBot(tx, workspaceId, await workspaces.lockPlan(tx, workspaceId));
      const changed = { columns: decided, ...(planned && { tools: planned.tools }) };
      const onMachine = { activates: activates && bot.usesMachine };
      const version =
        (saving && (await keepVersion(tx, bot, changed, { ...saving, ...onMachine }))) ?? bot.version;
      const ofTools = planned && { toolCount: planned.tools.length, usesMachine: planned.usesMachine };
      await botStore.update(tx, workspaceId, botId, { ...decided, ...ofTools, version });
      await planned?.assign();
      // Whoever says what the bot does decides what happens on its machines.
      if (saving?.by && version !== bot.version && !isStop && (planned ?? bot).usesMachine)
        await requireMachines(tx, workspaceId, [botId], saving.by);
      await recordBotChanged(tx, bot, { ...bot, ...decided }, { tools: planned?.tools });
      return version;
    });
  }

  /** `maxBots` is the plan of the workspace, whose row is locked, so that only one transaction counts at a time. */
  async function admitActiveBot(
    tx: Transaction,
    workspaceId: string,
    { maxBots }: { maxBots: number | null },
  ): Promise<void> {
    if (maxBots === null) return;
    if ((await botStore.countActive(tx, workspaceId)) >= maxBots) {
      throw new AppError('PLAN_LIMIT_REACHED', {
        message: `The workspace's plan allows ${maxBots} active bots.`,
        details: [{ max_bots: maxBots }],
      });
    }
  }
}

const maxBots = 1_000;

/** Caches recently used bots: they rarely change, and checking a revision is cheaper than reading a bot for every message. */
function createBotMemory() {
  const readings = new LRUCache<string, BotReading>({ max: maxBots });
  return {
    /** The last reading, possibly an old one: callers must check its revision in the statement that depends on it. */
    recall(workspaceId: string, botId: string): BotReading | undefined {
      const reading = readings.get(botId);
      return reading?.bot.workspaceId === workspaceId ? reading : undefined;
    },
    remember(reading: BotReading): void {
      readings.set(reading.bot.id, reading);
    },
  };
}

function tooManyStored(most: number | null): AppError {
  return new AppError('PLAN_LIMIT_REACHED', {
    message: `The workspace's limit of ${most} bots is reached. Inactive bots count here too: change one of them instead of creating another, or have an operator change the limit with svc workspaces update --max-stored-bots.`,
    details: [{ limit: 'stored_bots', value: most }],
  });
}
