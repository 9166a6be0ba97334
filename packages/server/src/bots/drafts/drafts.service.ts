import { type BotSettings, BotUpdate } from '@svc/contract/bots';
import type { BotDraft, BotSave, DraftVersion, SavedVersion } from '@svc/contract/console-bots';
import type { ToolAssign } from '@svc/contract/tools';
import type { Database, Transaction } from '../../database/database.ts';
import { AppError, notFound } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Services } from '../../services.ts';
import { compileCheck } from '../../validation/checker.ts';
import { reportTogether } from '../../validation/report-together.ts';
import { botChange } from '../bot-changes.ts';
import type { PlannedTools, RequireMachines } from '../bots.service.ts';
import type { BotChange, BotRow } from '../bots.store.ts';
import { type Author, checkNotice } from '../notice-rule.ts';
import { changedFields, configurationOf } from '../versions/version-configuration.ts';
import { type DraftRef, draftStore } from './drafts.store.ts';

export interface DraftDependencies extends Pick<Services, 'bots' | 'clock' | 'database'> {
  tools: {
    /** The tools that a bot would have. Throws what is wrong with them. */
    planTools(tx: Transaction, workspaceId: string, body: ToolAssign, author: Author): Promise<PlannedTools>;
    requireMachines: RequireMachines;
  };
}

export type DraftService = ReturnType<typeof createDraftService>;

const checkShape = compileCheck<BotUpdate>(BotUpdate);

/** What somebody is trying out before it is saved. The bot itself, and whoever talks to it, sees nothing of it. */
export function createDraftService({ database, bots, tools, clock }: DraftDependencies) {
  return {
    /** Checks a draft as if it were saved, and stores it for tests. An equal one is used again. */
    async save(
      workspaceId: string,
      author: Author,
      botId: string,
      { fields, tools: assignments }: BotDraft,
    ): Promise<DraftVersion> {
      const current = await bots.getRow(workspaceId, botId);
      const change = changeOf(fields, current);
      checkNotice(current.settings, change.settings ?? current.settings, author);
      await bots.checkVoice(withoutKnownVoice(change.settings, current.settings));
      return database.within(workspaceId).transaction(async (tx) => {
        const planned =
          assignments && (await tools.planTools(tx, workspaceId, { bot_id: botId, assignments }, author));
        // Drafts of a bot are numbered one at a time.
        const bot = await bots.lock(tx, workspaceId, botId);
        const before = await bots.toolsOf(tx, workspaceId, botId, bot.version);
        const next = { ...bot, ...botChange(fields, bot, clock.now()) };
        const configuration = configurationOf(next, planned?.tools ?? before);
        const changes = changedFields(configurationOf(bot, before), configuration);
        if (changes.length > 0 && (planned ?? bot).usesMachine)
          await tools.requireMachines(tx, workspaceId, [botId], author.keyId);
        const equal = await draftStore.findEqual(tx, workspaceId, botId, configuration);
        if (equal !== undefined) {
          await draftStore.touch(tx, workspaceId, botId, equal);
          return { version: equal };
        }
        const draft = { botId, by: author.keyId, changes, configuration };
        return { version: await draftStore.insert(tx, workspaceId, draft) };
      });
    },

    /** Saves a form as one version: its fields and tools together, or nothing. */
    async publish(
      workspaceId: string,
      author: Author,
      botId: string,
      { version: from, fields, tools: assignments }: BotSave,
    ): Promise<SavedVersion> {
      changeOf(fields, await bots.getRow(workspaceId, botId));
      const planTools =
        assignments &&
        ((tx: Transaction) => tools.planTools(tx, workspaceId, { bot_id: botId, assignments }, author));
      return { version: await bots.update(workspaceId, author, botId, fields, { from, planTools }) };
    },

    /** Keeps a draft for another day. Throws NOT_FOUND when it is gone. */
    async use(workspaceId: string, botId: string, version: number): Promise<void> {
      if (!(await draftStore.touch(database.within(workspaceId), workspaceId, botId, version)))
        throw notFound();
    },

    /** Deletes what was not used for a day, except drafts that a conversation was held with. */
    sweep: (isNeeded: (draft: DraftRef) => Promise<boolean>): Promise<void> =>
      sweepDrafts({ database, clock }, isNeeded),
  };

  /** What a form changes. Throws what does not fit the schema, and what is wrong with the fields that do, together. */
  function changeOf(fields: BotUpdate, current: BotRow): BotChange {
    return reportTogether((attempt) => {
      const faulty = new Set<string | undefined>();
      attempt(() => {
        try {
          checkShape(fields, '');
        } catch (error) {
          const details = error instanceof AppError ? (error.details ?? []) : [];
          for (const { path } of details) faulty.add(String(path).split('.')[0]);
          throw error;
        }
      });
      const fitting = Object.fromEntries(Object.entries(fields).filter(([name]) => !faulty.has(name)));
      const check = (change: BotChange) => bots.checkSettings(change, current);
      return botChange(checkShape(fitting, ''), current, clock.now(), check);
    });
  }
}

/** A voice that the bot already has was confirmed when it was saved: a test needs no answer of its provider. */
function withoutKnownVoice(settings: BotSettings = {}, before: BotSettings): BotSettings {
  const { tts_voice: voice, ...others } = settings;
  const isKnown = voice === before.tts_voice && others.tts_provider === before.tts_provider;
  return isKnown ? others : settings;
}

const keptMilliseconds = 24 * 60 * 60 * 1000;
const batchSize = 100;

/** Deletes drafts that were not used for a day, except those that are still needed. */
export async function sweepDrafts(
  { database, clock }: { database: Database; clock: Clock },
  isNeeded: (draft: DraftRef) => Promise<boolean>,
): Promise<void> {
  const before = new Date(clock.now().getTime() - keptMilliseconds);
  for (const draft of await draftStore.listUnusedAcrossWorkspaces(
    database.acrossWorkspaces,
    before,
    batchSize,
  )) {
    const { workspaceId, botId, number } = draft;
    const query = database.within(workspaceId);
    // Those that are needed are looked at again a day later.
    if (await isNeeded(draft)) await draftStore.touch(query, workspaceId, botId, number);
    else await draftStore.delete(query, workspaceId, draft, before);
  }
}
