import type { Trace } from '@svc/contract/conversations';
import { type Database, isConnectionFailure, type Transaction } from '../../database/database.ts';
import type { Log } from '../../log.ts';
import type { ToolService } from '../../tools/service.ts';
import type { ConversationService } from '../service.ts';
import { cutLargeValues } from './cut-large-values.ts';
import { traceStore } from './store.ts';
import type { TraceEntry } from './trace-entry.ts';
import { toWireStep } from './wire.ts';

export interface TraceDependencies {
  database: Database;
  conversations: Pick<ConversationService, 'getRow'>;
  tools: Pick<ToolService, 'redactorOf'>;
  /** Of model and speech providers. */
  providerKeys: readonly string[];
  log: Log;
}

/** Whose secrets a step may have met. */
export interface TraceOwner {
  workspaceId: string;
  botId: string;
}

/** Where a step stands that is written after its turn. */
export interface TracePlace {
  conversationId: string;
  turnId: string;
  /** The event with which it is truncated. */
  sequence: number;
}

export type TraceService = ReturnType<typeof createTraceService>;

const notKept = 'What went in and came out is not kept: its secrets could not be masked.';

export function createTraceService({ database, conversations, tools, providerKeys, log }: TraceDependencies) {
  const redactorOf = ({ workspaceId, botId }: TraceOwner) =>
    tools.redactorOf(workspaceId, botId, providerKeys);

  async function clean(owner: TraceOwner, entries: readonly TraceEntry[]): Promise<TraceEntry[]> {
    try {
      const redactor = await redactorOf(owner);
      // Masked before it is cut: half a secret would not be recognised.
      const fit = (value: unknown) => cutLargeValues(redactor.json(value));
      return entries.map((entry) => ({
        ...entry,
        input: fit(entry.input),
        output: fit(entry.output),
        error: entry.error === null ? null : String(fit(entry.error)),
      }));
    } catch (error) {
      if (isConnectionFailure(error)) throw error;
      log.error(
        { err: error, bot_id: owner.botId },
        'A trace could not be masked, and is kept without content.',
      );
      return entries.map((entry) => ({ ...entry, input: null, output: null, error: notKept }));
    }
  }

  return {
    /** Makes steps fit to be stored: secrets masked, large values cut. Throws only when the database is away. */
    clean,

    /** The same value without the secrets of the bot's tools and of the providers. */
    async mask(owner: TraceOwner, value: unknown): Promise<unknown> {
      return (await redactorOf(owner)).json(value);
    },

    /** Adds a step, made fit before, to a turn that is over. */
    async add(tx: Transaction, owner: TraceOwner, place: TracePlace, entry: TraceEntry): Promise<void> {
      const { usage } = entry;
      await traceStore.insert(tx, owner.workspaceId, {
        ...entry,
        ...place,
        usage: usage && {
          input_tokens: usage.inputTokens,
          cached_input_tokens: usage.cachedInputTokens,
          output_tokens: usage.outputTokens,
        },
      });
    },

    /** For the API: without what grading and validation found out. */
    async read(workspaceId: string, conversationId: string, externalUserId?: string): Promise<Trace> {
      await conversations.getRow(workspaceId, conversationId, externalUserId);
      const steps = await traceStore.list(database.query, workspaceId, conversationId);
      return { conversation_id: conversationId, steps: steps.map(toWireStep) };
    },
  };
}
