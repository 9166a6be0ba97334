import type { VoiceNumber, VoiceNumberCreate, VoiceNumberUpdate } from '@svc/contract/voice-numbers';
import { recordChange } from '../../audit/audit.service.ts';
import type { BotRow } from '../../bots/bots.service.ts';
import { namesOfBots } from '../../bots/brief/bot-brief.service.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import { inPages, type ListPages } from '../../database/list-page.ts';
import type { RecordAnswer } from '../../idempotency/idempotency.service.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { VoiceTransport } from '../transports/call-transport.ts';
import { type VoiceNumberChange, type VoiceNumberRow, voiceNumberStore } from './phone-numbers.store.ts';
import { auditedFields, toChange, toWire } from './phone-numbers.wire.ts';

export type { VoiceNumberRow } from './phone-numbers.store.ts';

export interface VoiceNumberDependencies
  extends Pick<Services, 'bots' | 'database' | 'voices' | 'workspaces'> {
  /** Undefined where calls are not set up. */
  transport: Pick<VoiceTransport, 'canCallFrom'> | undefined;
}

export type VoiceNumberService = ReturnType<typeof createVoiceNumberService>;

/** Which bot answers which number, and which number a bot calls from. */
export function createVoiceNumberService(dependencies: VoiceNumberDependencies) {
  const { database, workspaces, bots, voices, transport } = dependencies;
  return {
    list: (workspaceId: string, metadata: Record<string, string>): ListPages<VoiceNumber> =>
      inPages(
        (after) => voiceNumberStore.listPage(database.within(workspaceId), workspaceId, metadata, after),
        (rows) => withNames(workspaceId, rows),
      ),

    async get(workspaceId: string, id: string): Promise<VoiceNumber> {
      const [number] = await withNames(workspaceId, [await getRow(workspaceId, id)]);
      if (!number) throw notFound();
      return number;
    },

    /** The numbers that were assigned to a workspace and are not in use; null in the only one, which may use any. */
    async listFree(workspaceId: string): Promise<string[] | null> {
      if ((await workspaces.list()).length === 1) return null;
      const assigned = await voiceNumberStore.listAssigned(database.within(workspaceId), workspaceId);
      return assigned.flatMap(({ phoneNumber, isUsed }) => (isUsed ? [] : [phoneNumber]));
    },

    /** The number that a bot calls from. */
    findPrimary: (workspaceId: string, botId: string): Promise<VoiceNumberRow | undefined> =>
      voiceNumberStore.findPrimary(database.within(workspaceId), workspaceId, botId),

    /** The bot that answers a number, in any workspace; none if it is inactive. */
    async findByPhone(phoneNumber: string): Promise<{ number: VoiceNumberRow; bot: BotRow } | undefined> {
      const number = await voiceNumberStore.findByPhoneAcrossWorkspaces(
        database.acrossWorkspaces,
        phoneNumber,
      );
      if (!number) return undefined;
      const bot = await bots.getRow(number.workspaceId, number.botId);
      return bot.status === 'active' ? { number, bot } : undefined;
    },

    async create(
      workspaceId: string,
      body: VoiceNumberCreate,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const bot = await bots.getRow(workspaceId, body.bot_id);
      await checkVoice(bot, body.tts_voice);
      // Before the network is asked, so that numbers of other workspaces are refused like unassigned ones.
      if ((await assigneeOf(database.acrossWorkspaces, workspaceId, body.phone_number)) !== workspaceId)
        throw unassigned();
      const number = {
        id: newId(),
        phoneNumber: body.phone_number,
        botId: bot.id,
        greeting: body.greeting ?? null,
        ttsVoice: body.tts_voice ?? null,
        metadata: body.metadata ?? {},
        outboundCapable: await confirmOwn(body.phone_number, body.outbound_capable ?? false),
        isOutboundPrimary: false,
      };
      const answer = { id: number.id };
      return database.acrossWorkspaces.transaction(async (tx) => {
        await voiceNumberStore.lockPhoneAcrossWorkspaces(tx, number.phoneNumber);
        const used = await voiceNumberStore.findByPhoneAcrossWorkspaces(tx, number.phoneNumber);
        if (used?.workspaceId === workspaceId) throw new AppError('NUMBER_EXISTS');
        const assignee = await assigneeOf(tx, workspaceId, number.phoneNumber);
        if (used || assignee !== workspaceId) throw unassigned();
        await voiceNumberStore.assign(tx, workspaceId, number.phoneNumber);
        await voiceNumberStore.insert(tx, workspaceId, number);
        await recordChange(tx, workspaceId, {
          action: 'number.created',
          object: { id: number.id, name: number.phoneNumber },
          after: auditedFields(number),
        });
        await record(tx, answer);
        return answer;
      });
    },

    async update(workspaceId: string, id: string, body: VoiceNumberUpdate): Promise<void> {
      const current = await getRow(workspaceId, id);
      const change = toChange(body);
      if (change.botId !== undefined || change.ttsVoice !== undefined) {
        const bot = await bots.getRow(workspaceId, change.botId ?? current.botId);
        const { botId, ttsVoice } = { ...current, ...change };
        if (botId !== current.botId || ttsVoice !== current.ttsVoice) await checkVoice(bot, ttsVoice);
      }
      const becomesPrimary = body.is_outbound_primary === true && !current.isOutboundPrimary;
      if (becomesPrimary) {
        change.outboundCapable = (await askNetwork(current.phoneNumber, current.outboundCapable)) === true;
        if (!transport || !change.outboundCapable) throw new AppError('NOT_OUTBOUND_CAPABLE');
      }
      await changeLocked(workspaceId, id, async (tx, row) => {
        const isOutboundPrimary = await decidePrimary(tx, row, { ...row, ...change }, body);
        return { ...change, isOutboundPrimary };
      });
    },

    async replaceMetadata(workspaceId: string, id: string, metadata: Record<string, string>): Promise<void> {
      await changeLocked(workspaceId, id, async () => ({ metadata }));
    },

    async delete(workspaceId: string, id: string): Promise<void> {
      await database.within(workspaceId).transaction(async (tx) => {
        const row = await voiceNumberStore.lock(tx, workspaceId, id);
        if (!row) throw notFound();
        await voiceNumberStore.delete(tx, workspaceId, id);
        await recordChange(tx, workspaceId, {
          action: 'number.deleted',
          object: { id, name: row.phoneNumber },
          before: auditedFields(row),
        });
      });
    },
  };

  async function getRow(workspaceId: string, id: string): Promise<VoiceNumberRow> {
    const row = await voiceNumberStore.find(database.within(workspaceId), workspaceId, id);
    if (!row) throw notFound();
    return row;
  }

  async function withNames(workspaceId: string, rows: VoiceNumberRow[]): Promise<VoiceNumber[]> {
    const botIds = rows.map(({ botId }) => botId);
    const names = await namesOfBots(database, workspaceId, botIds);
    return rows.map((row) => toWire(row, names.get(row.botId) ?? ''));
  }

  /** A bare voice belongs to the speech provider of the bot. */
  async function checkVoice(bot: BotRow, voice: string | null | undefined): Promise<void> {
    if (voice) await voices.check({ ...bot.settings, tts_voice: voice });
  }

  /** The only workspace may use unassigned numbers: there is no other one to keep them apart from. */
  async function assigneeOf(
    query: Queryable,
    workspaceId: string,
    phoneNumber: string,
  ): Promise<string | undefined> {
    const assignee = await voiceNumberStore.assigneeOfAcrossWorkspaces(query, phoneNumber);
    if (assignee !== undefined) return assignee;
    return (await workspaces.list()).length === 1 ? workspaceId : undefined;
  }

  async function confirmOwn(phoneNumber: string, stated: boolean): Promise<boolean> {
    const answer = await askNetwork(phoneNumber, stated);
    if (answer === 'not_ours')
      throw invalid('phone_number', 'is not a number of the telephone account of this service');
    return answer;
  }

  /** `stated` counts where the network cannot tell, or there is none yet. */
  async function askNetwork(phoneNumber: string, stated: boolean): Promise<boolean | 'not_ours'> {
    if (!transport) return stated;
    try {
      return (await transport.canCallFrom(phoneNumber)) ?? stated;
    } catch (error) {
      throw new AppError('UPSTREAM_FAILED', {
        message:
          'The telephone provider did not say whether it can call from this number: nothing was saved.',
        details: [{ path: 'phone_number', message: 'was not confirmed by the telephone provider' }],
        cause: error,
      });
    }
  }

  /** A number that only moves to another bot does not displace the one that this bot calls from. */
  async function decidePrimary(
    tx: Transaction,
    before: VoiceNumberRow,
    after: VoiceNumberRow,
    { is_outbound_primary: wanted }: VoiceNumberUpdate,
  ): Promise<boolean> {
    if (!(wanted ?? before.isOutboundPrimary)) return false;
    const other = await voiceNumberStore.findPrimary(tx, before.workspaceId, after.botId);
    if (!other || other.id === before.id) return true;
    if (wanted) await write(tx, other, { isOutboundPrimary: false });
    return wanted === true;
  }

  /** One change of a workspace's numbers at a time, because a bot's numbers depend on each other. */
  async function changeLocked(
    workspaceId: string,
    id: string,
    decide: (tx: Transaction, row: VoiceNumberRow) => Promise<VoiceNumberChange>,
  ): Promise<void> {
    await database.within(workspaceId).transaction(async (tx) => {
      await workspaces.lockPlan(tx, workspaceId);
      const row = await voiceNumberStore.lock(tx, workspaceId, id);
      if (!row) throw notFound();
      await write(tx, row, await decide(tx, row));
    });
  }
}

/** The same whether the number is unassigned or belongs to another workspace. */
function unassigned(): AppError {
  return invalid(
    'phone_number',
    'is not assigned to this workspace: the operator of the service assigns numbers with svc numbers assign',
  );
}

async function write(tx: Transaction, row: VoiceNumberRow, change: VoiceNumberChange): Promise<void> {
  await voiceNumberStore.update(tx, row.workspaceId, row.id, change);
  await recordChange(tx, row.workspaceId, {
    action: 'number.updated',
    object: { id: row.id, name: row.phoneNumber },
    before: auditedFields(row),
    after: auditedFields({ ...row, ...change }),
  });
}
