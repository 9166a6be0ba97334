import type { Trace, TraceStep } from '@svc/contract/conversations';
import { isConnectionFailure, type Transaction } from '../../database/database.ts';
import type { Services } from '../../services.ts';
import type { TraceStepKind } from '../conversations.tables.ts';
import { cutLargeValues } from './cut-large-values.ts';
import type { TraceEntry } from './trace-entry.ts';
import { type TraceStepRow, traceStore } from './tracing.store.ts';

export interface TraceDependencies extends Pick<Services, 'conversations' | 'database' | 'log' | 'tools'> {
  /** Of model and speech providers. */
  providerKeys: readonly string[];
}

/** Whose secrets a step may contain. */
export interface TraceOwner {
  workspaceId: string;
  botId: string;
  /** The version of the bot that answered, if it is not the current one. */
  options?: { bot_version?: number };
}

/** The position of a step that is written after its turn has ended. */
export interface TracePosition {
  conversationId: string;
  turnId: string;
  /** The step is removed when the conversation is truncated before this event. */
  sequence: number;
}

export type TraceService = ReturnType<typeof createTraceService>;

const notKept = 'Input and output were dropped because their secrets could not be masked.';

export function createTraceService({ database, conversations, tools, providerKeys, log }: TraceDependencies) {
  const redactorOf = ({ workspaceId, botId, options }: TraceOwner) =>
    tools.redactorOf({ workspaceId, botId, version: options?.bot_version }, providerKeys);

  async function clean(owner: TraceOwner, entries: readonly TraceEntry[]): Promise<TraceEntry[]> {
    try {
      const redactor = await redactorOf(owner);
      // Masked before it is cut, because half a secret would not be recognised.
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
        'A trace could not be masked; it is stored without input and output.',
      );
      return entries.map((entry) => ({ ...entry, input: null, output: null, error: notKept }));
    }
  }

  return {
    /** Masks secrets and cuts large values. Throws only when the database cannot be reached. */
    clean,

    /** Masks the secrets of the bot's tools and of the providers. */
    async mask(owner: TraceOwner, value: unknown): Promise<unknown> {
      return (await redactorOf(owner)).json(value);
    },

    /** Adds a step that was cleaned before to a turn that has ended. */
    async add(tx: Transaction, owner: TraceOwner, position: TracePosition, entry: TraceEntry): Promise<void> {
      const { usage } = entry;
      await traceStore.insert(tx, owner.workspaceId, {
        ...entry,
        ...position,
        usage: usage && {
          input_tokens: usage.inputTokens,
          cached_input_tokens: usage.cachedInputTokens,
          output_tokens: usage.outputTokens,
        },
      });
    },

    /** The steps of one turn; with the findings of grading and validation only for those who may see them. */
    async readTurn(
      workspaceId: string,
      position: Omit<TracePosition, 'sequence'>,
      showsFindings: boolean,
    ): Promise<TraceStep[]> {
      const rows = await traceStore.listOfTurn(database.within(workspaceId), workspaceId, position);
      return rows.map((row, index) => (showsFindings ? toWholeStep(row, index) : toWireStep(row, index)));
    },

    /** For the API, without the texts of grading and validation; with the verdicts only for those who may see them. */
    async read(
      workspaceId: string,
      conversationId: string,
      { externalUserId, showsVerdicts }: { externalUserId: string | undefined; showsVerdicts: boolean },
    ): Promise<Trace> {
      await conversations.getRow(workspaceId, conversationId, externalUserId);
      const rows = await traceStore.list(database.within(workspaceId), workspaceId, conversationId);
      const steps = rows.map((row, index) => ({
        ...toWireStep(row, index),
        ...(showsVerdicts && row.type === 'validation' && { output: verdictOf(row.output) }),
      }));
      return { conversation_id: conversationId, steps };
    },
  };
}

/** Their findings are for operators; the API only shows that they ran. */
const operatorsOnly: ReadonlySet<TraceStepKind> = new Set(['confidence', 'validation']);

function toWireStep(row: TraceStepRow, index: number): TraceStep {
  const whole = toWholeStep(row, index);
  return operatorsOnly.has(row.type) ? { ...whole, ...nothing } : whole;
}

function toWholeStep(row: TraceStepRow, index: number): TraceStep {
  const { input, output, usage, error } = row;
  return {
    id: row.id,
    turn_id: row.turnId,
    index,
    type: row.type,
    name: row.name,
    status: row.status,
    started_at: row.startedAt.toISOString(),
    duration_ms: row.durationMs,
    input,
    output,
    usage,
    error,
  };
}

/** Without the claims themselves, which quote the answer. */
function verdictOf(output: unknown): { verdict: string; unsupported_claims: number } | null {
  const { verdict, unsupported_claims: claims } = (output ?? {}) as Record<string, unknown>;
  return typeof verdict === 'string' && Array.isArray(claims)
    ? { verdict, unsupported_claims: claims.length }
    : null;
}

const nothing = { input: null, output: null, usage: null, error: null };
