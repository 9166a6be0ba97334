import type { BotTool } from '@svc/contract/bot-versions';
import type { Bot, BotCreate, BotSettings, BotUpdate } from '@svc/contract/bots';
import { AppError, invalid, notFound } from '../app-error.ts';
import type { Clock } from '../clock.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import { type RecordAnswer, recordNothing } from '../idempotency/service.ts';
import { limitOf } from '../limits/workspace-limits.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { newId } from '../new-id.ts';
import { requireUsableSchema } from '../validation/json-schema/require-usable-schema.ts';
import type { WorkspaceService } from '../workspaces/service.ts';
import { createBotMemory } from './bot-memory.ts';
import { botChange, newBot } from './changes.ts';
import { type Author, checkNotice } from './notice-rule.ts';
import { type BotChange, type BotRow, botStore, type DueMoment } from './store.ts';
import { changedFields, columnsOf, configurationOf } from './versions/configuration.ts';
import { keepVersion, type Saving } from './versions/keep-version.ts';
import { versionStore } from './versions/store.ts';
import { toWire } from './wire.ts';

export { assemblePrompt } from './prompt.ts';
export { describeSchedule } from './schedule/describe-schedule.ts';
export { findSchedule, type Schedule } from './schedule/schedule.ts';
export { nextSlot, slotsBetween } from './schedule/slots.ts';
export type { BotRow, DueMoment } from './store.ts';

/** Implemented by the voice feature, which may import this one but not the other way round. */
export interface VoiceCheck {
  /** Throws UPSTREAM_FAILED when the bot's speech provider has a key and does not know the voice. */
  check(settings: BotSettings): Promise<void>;
}

/** The tools that a bot gets. */
export interface ToolChange {
  tools: BotTool[];
  /** One of them works on a paired machine. */
  usesMachine: boolean;
}

export interface BotDependencies {
  database: Database;
  workspaces: Pick<WorkspaceService, 'get' | 'lockPlan'>;
  models: Pick<ModelRegistry, 'faultOf'>;
  voices: VoiceCheck;
  /** Why a webhook's URL can never be reached; undefined when it may be. */
  webhooks: { refusalOf(url: string): string | undefined };
  /** Whether this service has a mail server for notices; false by default. */
  canSendMail?: boolean;
  clock: Clock;
}

/** What a new bot's first version is compared with. */
const nothing = configurationOf({ ...newBot, name: '', systemPrompt: '' }, []);

/** Close to the limit of stored bots, bots are created one at a time, so that the limit holds. */
const countedAlone = 100;

export type BotService = ReturnType<typeof createBotService>;

export function createBotService(dependencies: BotDependencies) {
  const { database, workspaces, models, voices, webhooks, canSendMail = false, clock } = dependencies;
  const memory = createBotMemory();
  return {
    list: (workspaceId: string, metadata: Record<string, string>): ListPages<Bot> =>
      inPages(
        (after) => botStore.listPage(database.query, workspaceId, metadata, after),
        (rows) => rows.map(toWire),
      ),

    async get(workspaceId: string, botId: string): Promise<Bot> {
      return toWire(await getRow(workspaceId, botId));
    },

    getRow,
    lock,

    /**
     * An active bot as it was last read here, for callers that check its revision when they write. Read from the database
     * when it is not known or `isFresh` is set: then there is no revision to check.
     */
    async recall(
      workspaceId: string,
      botId: string,
      isFresh: boolean,
    ): Promise<{ bot: BotRow; revision: string | null }> {
      const known = isFresh ? undefined : memory.recall(workspaceId, botId);
      if (known) return known;
      const reading = await botStore.read(database.query, workspaceId, botId);
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
     * Records which tools a bot has, as its next version if they changed. The bot is locked before `decide` is called, so
     * that the later of two simultaneous changes sees the result of the other.
     */
    async changeTools(
      tx: Transaction,
      workspaceId: string,
      botId: string,
      by: string,
      decide: () => Promise<ToolChange>,
    ): Promise<void> {
      const bot = await lock(tx, workspaceId, botId);
      const { tools, usesMachine } = await decide();
      const version = await keepVersion(tx, bot, { tools }, { by });
      const changed = { toolCount: tools.length, usesMachine, version: version ?? bot.version };
      await botStore.setTools(tx, workspaceId, botId, changed);
    },

    checkSettings,

    listDue: (moment: DueMoment, limit: number) =>
      botStore.listDueAcrossWorkspaces(database.query, moment, limit),
    lockDue: botStore.lockDue,
    setNextRun: botStore.setNextRun,
    /** Records when an agent last started a run; false when it is not an active agent. */
    noteRun: botStore.noteRun,

    /** Throws what is wrong with the fields of a new bot. Nothing is stored. */
    checkNew: (body: BotCreate): Promise<void> => checkSettings(madeOf(body)),

    async create(
      workspaceId: string,
      author: Author,
      body: BotCreate,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const made = madeOf(body);
      checkNotice({}, made.settings ?? {}, author);
      await checkSettings(made);
      const bot = { ...newBot, ...made, id: newId(), name: body.name };
      const answer = { id: bot.id };
      const configuration = configurationOf(bot, []);
      const first = { by: author.keyId, configuration, changes: changedFields(nothing, configuration) };
      const insert = (query: Queryable, most: number | null) =>
        botStore.insert(query, workspaceId, bot, first, most);
      // One statement needs no transaction; checking the plan or recording the response does.
      const { maxBots, limits } = await workspaces.get(workspaceId);
      const most = limitOf(limits, 'stored_bots');
      const isPlain = maxBots === null && record === recordNothing;
      if (isPlain && (await insert(database.query, most === null ? null : Math.max(0, most - countedAlone))))
        return answer;
      return database.transaction(async (tx) => {
        const plan = await workspaces.lockPlan(tx, workspaceId);
        if (bot.status === 'active') await admitActiveBot(tx, workspaceId, plan);
        const limitNow = limitOf(plan.limits, 'stored_bots');
        if (!(await insert(tx, limitNow))) throw tooManyStored(limitNow);
        await record(tx, answer);
        return answer;
      });
    },

    async update(workspaceId: string, author: Author, botId: string, body: BotUpdate): Promise<void> {
      const decide = (bot: BotRow) => {
        const decided = botChange(body, bot, clock.now());
        checkNotice(bot.settings, decided.settings ?? bot.settings, author);
        return decided;
      };
      const current = await getRow(workspaceId, botId);
      await checkSettings(decide(current), current);
      // Decided again for the locked bot, which may have changed since it was read.
      await change(workspaceId, botId, decide, { by: author.keyId });
    },

    async switchModel(workspaceId: string, by: string, botId: string, model: string): Promise<void> {
      await getRow(workspaceId, botId);
      checkModel(model);
      await change(workspaceId, botId, (bot) => ({ settings: { ...bot.settings, model } }), { by });
    },

    async replaceMetadata(
      workspaceId: string,
      botId: string,
      metadata: Record<string, string>,
    ): Promise<void> {
      await change(workspaceId, botId, () => ({ metadata }));
    },

    /** Soft: the bot is kept, and can be made active again. */
    async delete(workspaceId: string, botId: string): Promise<void> {
      await change(workspaceId, botId, () => ({ status: 'inactive', nextRunAt: null }));
    },
  };

  function madeOf(body: BotCreate): BotChange & { systemPrompt: string } {
    const made = botChange(body, undefined, clock.now());
    const { systemPrompt } = made;
    if (!systemPrompt) throw invalid('system_prompt', 'is required unless prompt_builder is given');
    return { ...made, systemPrompt };
  }

  /** The bot as it is, or as it was in one of its versions. */
  async function getRow(workspaceId: string, botId: string, version?: number): Promise<BotRow> {
    const row = await botStore.find(database.query, workspaceId, botId);
    if (!row) throw notFound();
    if (version === undefined) return row;
    const kept = await versionStore.find(database.query, workspaceId, botId, version);
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
  ): Promise<void> {
    return database.transaction(async (tx) => {
      const bot = await lock(tx, workspaceId, botId);
      const decided = decide(bot);
      if (decided.status === 'active' && bot.status !== 'active') {
        await admitActiveBot(tx, workspaceId, await workspaces.lockPlan(tx, workspaceId));
      }
      const version = saving && (await keepVersion(tx, bot, { columns: decided }, saving));
      await botStore.update(tx, workspaceId, botId, { ...decided, ...(version && { version }) });
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

  /**
   * An unchanged model or webhook is not checked: a bot whose provider lost its key, or whose webhook can no longer be
   * reached, can still be changed.
   */
  async function checkSettings(
    { settings = {}, outputConfig }: Pick<BotChange, 'settings' | 'outputConfig'>,
    before?: Pick<BotRow, 'settings' | 'outputConfig'>,
  ): Promise<void> {
    if (outputConfig?.schema) requireUsableSchema(outputConfig.schema, 'output_config.schema');
    if (settings.model && settings.model !== before?.settings.model) checkModel(settings.model);
    if (settings.approval_notice?.email && !canSendMail)
      throw invalid('approval_notice.email', 'needs a mail server: SVC_SMTP_URL is not set');
    const [output, notice] = [outputConfig?.webhook_url, settings.approval_notice?.webhook_url];
    if (output !== before?.outputConfig?.webhook_url) checkWebhook(output, 'output_config.webhook_url');
    if (notice !== before?.settings.approval_notice?.webhook_url)
      checkWebhook(notice, 'approval_notice.webhook_url');
    await voices.check(settings);
  }

  function checkWebhook(url: string | undefined, path: string): void {
    const refusal = url === undefined ? undefined : webhooks.refusalOf(url);
    if (refusal !== undefined) throw invalid(path, `cannot be used: ${refusal}`);
  }

  function checkModel(model: string): void {
    const fault = models.faultOf(model);
    if (fault) throw invalid('model', fault);
  }
}

function tooManyStored(most: number | null): AppError {
  return new AppError('PLAN_LIMIT_REACHED', {
    message: `The workspace's limit of ${most} bots is reached. Inactive bots count here too: change one of them instead of creating another, or have an operator change the limit with svc workspaces update --max-stored-bots.`,
    details: [{ limit: 'stored_bots', value: most }],
  });
}
