import { errorCodes } from '@svc/contract/errors';
import type { ConversationService, TraceEntry } from '../../conversations/conversations.service.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { type JobHandler, PermanentFailure } from '../../jobs/queue.ts';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import { askForJson } from '../../models/ask-for-json.ts';
import type { Model, ModelRequest, Usage } from '../../models/model.ts';
import type { Services } from '../../services.ts';
import { isSource } from '../keeper.ts';
import { type QualityRow, qualityStore } from '../quality.store.ts';
import type { Validation } from './reply-validation.queue.ts';
import {
  readVerification,
  type ValidatedAnswer,
  type Verification,
  validationQuestion,
  verificationForm,
} from './reply-verdict.ts';

export interface ValidatorDependencies
  extends OutcomeDependencies,
    Pick<Services, 'bots' | 'conversations' | 'log' | 'models' | 'spender' | 'traces'> {}

/** Compares an answer that was sent with its sources and records the verdict. Never changes the answer. */
export function createValidator(dependencies: ValidatorDependencies): JobHandler<Validation> {
  const { database, models, spender, bots, traces, clock, log } = dependencies;
  const outcomes = createOutcomes(dependencies);

  return async ({ workspaceId, recordId, isTraced }, signal) => {
    const record = await qualityStore.findUnvalidated(database.within(workspaceId), workspaceId, recordId);
    const material = record && (await readMaterial(record, dependencies));
    // The answer was truncated in the meantime or validated by another job.
    if (!record || !material) return;
    const traceStepId = newId();
    const model = await modelFor(record, traceStepId);
    const question = { ...validationQuestion(model, material), signal, read: readVerification };
    const startedAt = clock.now();
    // Charged immediately, whether or not the answer can be used.
    const answer = await askForJson(model, verificationForm, question);
    signal.throwIfAborted();
    if (answer.kind !== 'value') {
      const error = errorOf(answer.kind === 'failed' ? answer.failure : undefined);
      await outcomes.failed(record, error.message);
      throw error;
    }

    const { request, usage } = answer;
    const unsupportedClaims = (await traces.mask(record, answer.value.unsupportedClaims)) as string[];
    const verification = { ...answer.value, unsupportedClaims };
    const entry = traceOf(traceStepId, request, verification, { usage, startedAt, endedAt: clock.now() });
    const trace = isTraced ? await traces.clean(record, [entry]) : [];
    const { sequence } = material;
    if (await outcomes.found(record, { verification, trace, sequence })) logVerdict(record, verification);
  };

  async function modelFor(record: QualityRow, traceStepId: string): Promise<Model> {
    const { workspaceId, conversationId, turnId } = record;
    const { settings } = await bots.getRow(workspaceId, record.botId);
    try {
      const model = models.ofBot(settings);
      if (!model.capabilities.instructions) {
        throw new PermanentFailure('The built-in model cannot compare.');
      }
      return spender.payingModel(model, workspaceId, { conversationId, turnId, traceStepId });
    } catch (error) {
      const failure = errorOf(error);
      await qualityStore.markFailed(database.within(workspaceId), workspaceId, record.id, failure.message);
      throw failure;
    }
  }

  function logVerdict(record: QualityRow, { verdict, unsupportedClaims }: Verification): void {
    const about = {
      bot_id: record.botId,
      conversation_id: record.conversationId,
      turn_id: record.turnId,
      message_id: record.messageId,
      verdict,
      unsupported_claims: unsupportedClaims,
    };
    if (verdict === 'supported') log.info(about, 'The sources support a reply.');
    else log.warn(about, 'The sources do not support a reply.');
  }
}

/** Never the provider's own text; permanent when a retry cannot help. */
function errorOf(failure: unknown): Error {
  if (failure === undefined) return new Error('The model did not answer with a verdict.');
  if (failure instanceof PermanentFailure) return failure;
  if (!(failure instanceof AppError))
    return new Error('The verdict could not be asked for.', { cause: failure });
  const { message } = failure;
  return errorCodes[failure.code].retryable
    ? new Error(message, { cause: failure })
    : new PermanentFailure(message, { cause: failure });
}

function traceOf(
  id: string,
  { system, messages }: ModelRequest,
  { verdict, unsupportedClaims }: Verification,
  call: { usage: Usage | null; startedAt: Date; endedAt: Date },
): TraceEntry {
  return {
    id,
    type: 'validation',
    name: 'Response Validation',
    status: 'ok',
    startedAt: call.startedAt,
    durationMs: call.endedAt.getTime() - call.startedAt.getTime(),
    input: { system, messages },
    output: { verdict, unsupported_claims: unsupportedClaims },
    usage: call.usage,
    error: null,
  };
}

const maxOperatorMessages = 5;

interface Material extends ValidatedAnswer {
  /** The event that announced the answer. */
  sequence: number;
}

/** Reads what an answer is compared with; undefined if the answer was truncated in the meantime. */
async function readMaterial(
  record: QualityRow,
  {
    database,
    conversations,
  }: {
    database: Database;
    conversations: Pick<ConversationService, 'listOfTurn' | 'listToolOutcomes' | 'listOperatorMessages'>;
  },
): Promise<Material | undefined> {
  const { workspaceId } = record;
  const messages = await conversations.listOfTurn(workspaceId, record);
  const answer = messages.find(({ id }) => id === record.messageId);
  if (!answer) return undefined;
  const operatorMessages = await conversations.listOperatorMessages(workspaceId, record.conversationId, 0);
  const known = operatorMessages
    .filter(({ sequence }) => sequence < answer.sequence)
    .slice(-maxOperatorMessages);
  const outcomes = await conversations.listToolOutcomes(database.within(workspaceId), workspaceId, record);
  return {
    question: messages.find(({ role }) => role === 'user')?.content ?? '',
    answer: answer.content,
    sources: [
      ...outcomes.filter(isSource).map(({ name, content }) => ({ name, text: content })),
      ...record.passages.map(({ title, text }) => ({ name: title, text })),
      ...known.map(({ content }) => ({ name: 'A person of the team', text: content })),
    ],
    sequence: answer.sequence,
  };
}

type OutcomeDependencies = Pick<Services, 'clock' | 'conversations' | 'database' | 'traces'>;

interface Found {
  verification: Verification;
  /** Masked and ready to be stored; empty when the turn is not traced. */
  trace: TraceEntry[];
  /** The event that announced the answer. */
  sequence: number;
}

/** Records how validations ended. */
function createOutcomes(dependencies: OutcomeDependencies) {
  const { database, conversations, traces, clock } = dependencies;

  function write<Result>(record: QualityRow, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return database.within(record.workspaceId).transaction(async (tx) => {
      // Locks the conversation first, as truncation does; another order could deadlock with it.
      await conversations.lock(tx, record.workspaceId, record.conversationId);
      return work(tx);
    });
  }

  return {
    /** False when there already was a verdict or the answer is gone; nothing is written then. */
    found(record: QualityRow, { verification, trace, sequence }: Found): Promise<boolean> {
      return write(record, async (tx) => {
        const findings = { ...verification, validatedAt: clock.now() };
        const isSaved = await qualityStore.saveFindings(tx, record.workspaceId, record.id, findings);
        const place = { conversationId: record.conversationId, turnId: record.turnId, sequence };
        for (const entry of isSaved ? trace : []) await traces.add(tx, record, place, entry);
        return isSaved;
      });
    },

    failed(record: QualityRow, problem: string): Promise<void> {
      return write(record, (tx) => qualityStore.markFailed(tx, record.workspaceId, record.id, problem));
    },
  };
}
