import { pino } from 'pino';
import { createBotService } from '../../src/bots/bots.service.ts';
import type { Config } from '../../src/config/config.ts';
import { conversationStore } from '../../src/conversations/conversations.store.ts';
import { messages } from '../../src/conversations/conversations.tables.ts';
import type { Database, Transaction } from '../../src/database/database.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/new-id.ts';
import { createModelRegistry } from '../../src/models/model-registry.ts';
import { createPostCallHookService } from '../../src/post-call-hooks/post-call-hooks.service.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import type { Services } from '../../src/services.ts';
import { createToolRegistry } from '../../src/tools/tool-registry.ts';
import { createToolService } from '../../src/tools/tools.service.ts';
import { createHttpRequestType } from '../../src/tools/types/http-request/http-request-type.ts';
import { type EndedCall, postCallQueue } from '../../src/voice/post-call/post-call.queue.ts';
import { planPostCall } from '../../src/voice/post-call/post-call.ts';
import type { RunHookDependencies } from '../../src/voice/post-call/run-hook.ts';
import { createVoiceCheck } from '../../src/voice/voice-check.ts';
import { createCallRecords } from '../../src/voice-calls/records/call-records.service.ts';
import { type NewVoiceCall, voiceCallStore } from '../../src/voice-calls/voice-calls.store.ts';
import { openOutbound } from '../../src/wiring/open-ground.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';

export interface CallToEnd {
  workspaceId: string;
  botId: string;
  said?: readonly (readonly ['user' | 'assistant', string])[];
  fields?: Partial<NewVoiceCall>;
  /** In the transaction that ends the call, before its job can start. */
  within?(tx: Transaction, callId: string): Promise<void>;
}

export interface EndedCalls {
  /** Writes a call that is over, and plans what comes after it. Returns its id. */
  end(call: CallToEnd): Promise<string>;
  /** What hooks are run and given up with. */
  dependencies: RunHookDependencies & Pick<Services, 'jobs'>;
  /** A second job for the same call. */
  enqueueAgain(tx: Transaction, call: EndedCall): Promise<void>;
  close(): Promise<void>;
}

export const callSeconds = 61;
const greeted = ['assistant', 'Good morning.'] as const;
const asked = ['user', 'I want\n{{summary}} tea.'] as const;
const connected = { direction: 'inbound', transport: 'sip', fromNumber: '+15550100' } as const;

/** Calls that were never made: their records are those of real ones, and a running service works on their jobs. */
export async function openEndedCalls(
  database: Database,
  config: Config,
  encryptionKey: Buffer,
): Promise<EndedCalls> {
  const log = pino({ level: 'silent' });
  const outbound = openOutbound(config, log);
  const { lane, guardedLane } = outbound;
  const { providers, modelPrices: prices } = config;
  const bots = createBotService({
    database,
    workspaces: createWorkspaceService({ database }),
    models: createModelRegistry({ providers, lane, prices }),
    voices: createVoiceCheck({ providers, lane }),
    webhooks: guardedLane,
    requireMachines: (...given) => tools.requireMachines(...given),
    planDefaultTools: (...given) => tools.planDefaultTools(...given),
    clock: systemClock,
  });
  const box = createSecretBox(createKeyRing(encryptionKey));
  const registry = createToolRegistry([createHttpRequestType({ lane: guardedLane, clock: systemClock })]);
  const tools = createToolService({
    database,
    bots,
    registry,
    machines: { requireUse: async () => undefined, requireUseOfAll: async () => undefined },
    box,
    log,
  });
  const hooks = createPostCallHookService({ database, bots, tools });
  const callRecords = createCallRecords({ database });
  const jobs = createJobs({ database, log });
  await jobs.start();

  return {
    async end({ workspaceId, botId, said = [greeted, asked], fields, within }) {
      const id = newId();
      const now = new Date();
      const answeredAt = new Date(now.getTime() - callSeconds * 1_000);
      const ended = { status: 'completed', endReason: 'caller_hung_up', answeredAt, endedAt: now } as const;
      const limits = { maxSeconds: 600, deadlineAt: now };
      await database.acrossWorkspaces.transaction(async (tx) => {
        const conversation = { id, botId, channel: 'voice', externalUserId: null, title: 'Call' } as const;
        await conversationStore.insert(tx, workspaceId, { ...conversation, metadata: {} });
        for (const [sequence, [role, content]] of said.entries()) {
          const message = { id: newId(), workspaceId, conversationId: id, role, content, createdAt: now };
          await tx.insert(messages).values({ ...message, sequence: sequence + 1 });
        }
        const call = { id, botId, ...connected, ...ended, ...limits, ...fields };
        await voiceCallStore.insert(tx, workspaceId, call);
        await planPostCall(tx, { id, workspaceId, botId }, { callRecords, jobs, hooks });
        await within?.(tx, id);
      });
      return id;
    },

    dependencies: {
      callRecords,
      database,
      hooks,
      tools,
      jobs,
      log,
      clock: systemClock,
      noteChange: () => undefined,
    },

    enqueueAgain: (tx, call) => jobs.enqueue(tx, postCallQueue, call),

    async close() {
      await jobs.stop(0);
      await outbound.close();
    },
  };
}
