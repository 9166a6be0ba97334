import type { Database, Transaction } from '../database/database.ts';
import { AppError } from '../lib/app-error.ts';
import type { Log } from '../lib/log.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { endUserRecordPrefix } from './end-user-record-key.ts';
import { hashRequest } from './hash-request.ts';
import { type Claim, idempotencyStore } from './idempotency.store.ts';

/** Call this inside the transaction that creates the resource, so that both are stored together or not at all. */
export type RecordAnswer<Answer> = (tx: Transaction, answer: Answer) => Promise<void>;

/** For work without an Idempotency-Key. */
export const recordNothing: RecordAnswer<unknown> = async () => undefined;

export interface IdempotentRequest {
  workspaceId: string;
  key: string;
  /** The sender, unless the key says so: no other caller gets the answer, which can contain a secret. */
  caller?: string | undefined;
  /** Everything that identifies the request: operation and parsed fields. */
  fingerprint: unknown;
}

export interface OnceOptions {
  /**
   * The work continues after it has recorded its answer, and may fail. A repeat gets that answer only if the node of the work is
   * lost, so that nothing is done twice; until then it is refused.
   */
  continuesAfterAnswer?: boolean;
}

export type IdempotencyService = ReturnType<typeof createIdempotencyService>;

export interface IdempotencyDependencies {
  database: Database;
  box: SecretBox;
  nodeId: string;
  log: Log;
}

export function createIdempotencyService({ database, box, nodeId, log }: IdempotencyDependencies) {
  /** Claims that could not be released because the database was unreachable. */
  const unreleased = new Map<string, { workspaceId: string; claim: Claim; before: Buffer | null }>();
  /** Answers that could not be written for the same reason. Their work is done and must not be repeated. */
  const unwritten = new Map<
    string,
    { workspaceId: string; claim: Claim; sealed: Buffer; before: Buffer | null }
  >();

  return {
    /** Does the work once per key: a repeat gets the first answer. Failed work releases the key. */
    async once<Answer>(
      request: IdempotentRequest,
      work: (record: RecordAnswer<Answer>) => Promise<Answer>,
      { continuesAfterAnswer = false }: OnceOptions = {},
    ): Promise<Answer> {
      const { workspaceId, key, caller } = request;
      const hash = await hashRequest(request.fingerprint);
      const context = contextsOf(workspaceId, key);
      const claim = { key, nodeId, requestHash: box.seal(identityOf(hash, caller), context.request) };
      if (!(await idempotencyStore.claim(database.within(workspaceId), workspaceId, claim))) {
        return firstAnswer<Answer>(request, hash);
      }
      // Pending writes for an earlier claim would now apply to this one.
      unreleased.delete(nameOf(workspaceId, key));
      unwritten.delete(nameOf(workspaceId, key));
      const seal = (answer: Answer, mark = '') => box.seal(mark + JSON.stringify(answer), context.answer);
      let isFinal = false;
      let provisional: Buffer | null = null;
      const record: RecordAnswer<Answer> = async (tx, answer) => {
        const sealed = seal(answer, continuesAfterAnswer ? provisionalMark : '');
        if (!(await idempotencyStore.complete(tx, workspaceId, claim, sealed))) {
          throw new AppError('IDEMPOTENCY_IN_PROGRESS');
        }
        if (continuesAfterAnswer) provisional = sealed;
        else isFinal = true;
      };
      let answer: Answer;
      try {
        answer = await work(record);
      } catch (error) {
        await release(workspaceId, claim, provisional);
        throw error;
      }
      if (!isFinal) await complete(workspaceId, claim, seal(answer), provisional);
      return answer;
    },

    /** Keeps a key until it is released. Throws IDEMPOTENCY_MISMATCH if another request has it. */
    async hold(request: IdempotentRequest): Promise<() => Promise<void>> {
      const { workspaceId, key, caller } = request;
      const hash = await hashRequest(request.fingerprint);
      const requestHash = box.seal(identityOf(hash, caller), contextsOf(workspaceId, key).request);
      const claim = { key, nodeId, requestHash };
      if (await idempotencyStore.claim(database.within(workspaceId), workspaceId, claim))
        return () => release(workspaceId, claim, null);
      return firstAnswer(request, hash);
    },

    /** Deletes the answers that were given to an end user. */
    forgetEndUser(workspaceId: string, externalUserId: string): Promise<void> {
      return idempotencyStore.deleteAnswered(
        database.within(workspaceId),
        workspaceId,
        endUserRecordPrefix(externalUserId),
      );
    },

    async deleteExpired(): Promise<void> {
      await idempotencyStore.deleteExpiredAcrossWorkspaces(database.acrossWorkspaces);
    },

    /** Retries releases and answers that could not be written: until then a repeat of their request is refused. */
    async settle(): Promise<void> {
      for (const [id, { workspaceId, claim, before }] of unreleased) {
        await idempotencyStore.release(database.within(workspaceId), workspaceId, claim, before);
        unreleased.delete(id);
      }
      for (const [id, { workspaceId, claim, sealed, before }] of unwritten) {
        await idempotencyStore.complete(database.within(workspaceId), workspaceId, claim, sealed, before);
        unwritten.delete(id);
      }
    },
  };

  async function firstAnswer<Answer>(
    { workspaceId, key, caller }: IdempotentRequest,
    hash: string,
  ): Promise<Answer> {
    const context = contextsOf(workspaceId, key);
    const found = await idempotencyStore.find(database.within(workspaceId), workspaceId, key);
    const first = found && box.open(found.requestHash, context.request);
    // Versions that did not record the caller left the hash alone; their records are gone after 24 hours.
    if (first !== undefined && first !== identityOf(hash, caller) && first !== hash) {
      throw new AppError('IDEMPOTENCY_MISMATCH');
    }
    // Not found: it was released a moment ago, and the caller's next attempt will do the work.
    if (!found?.answer) throw new AppError('IDEMPOTENCY_IN_PROGRESS');
    const text = box.open(found.answer, context.answer);
    const isProvisional = text.startsWith(provisionalMark);
    if (isProvisional && !found.isNodeLost) throw new AppError('IDEMPOTENCY_IN_PROGRESS');
    return JSON.parse(isProvisional ? text.slice(provisionalMark.length) : text) as Answer;
  }

  /** The work is done even if its answer cannot be stored now: the key stays claimed until it is. */
  async function complete(
    workspaceId: string,
    claim: Claim,
    sealed: Buffer,
    before: Buffer | null,
  ): Promise<void> {
    try {
      await idempotencyStore.complete(database.within(workspaceId), workspaceId, claim, sealed, before);
    } catch (error) {
      log.warn({ err: error }, 'The answer to an Idempotency-Key could not be stored; trying again later.');
      unwritten.set(nameOf(workspaceId, claim.key), { workspaceId, claim, sealed, before });
    }
  }

  async function release(workspaceId: string, claim: Claim, before: Buffer | null): Promise<void> {
    try {
      await idempotencyStore.release(database.within(workspaceId), workspaceId, claim, before);
    } catch (error) {
      log.warn({ err: error }, 'An Idempotency-Key could not be released; trying again later.');
      unreleased.set(nameOf(workspaceId, claim.key), { workspaceId, claim, before });
    }
  }
}

/** Reseals every record under the installation's current key. Returns how many there are. */
export async function resealRecords(tx: Transaction, box: SecretBox): Promise<number> {
  const records = await idempotencyStore.lockAcrossWorkspaces(tx);
  for (const { workspaceId, key, requestHash, answer } of records) {
    const context = contextsOf(workspaceId, key);
    const resealed = {
      requestHash: box.reseal(requestHash, context.request),
      answer: answer && box.reseal(answer, context.answer),
    };
    if (resealed.requestHash === requestHash && resealed.answer === answer) continue;
    await idempotencyStore.replaceSealed(tx, workspaceId, key, resealed);
  }
  return records.length;
}

/** What a repeat must have in common with the first request. */
const identityOf = (hash: string, caller: string | undefined) =>
  caller === undefined ? hash : `${caller} ${hash}`;

/** Before an answer that is not final; no JSON begins like this. */
const provisionalMark = '?';

const nameOf = (workspaceId: string, key: string) => `${workspaceId} ${key}`;

/** Part of the encryption, so that no record can be passed off as another. */
function contextsOf(workspaceId: string, key: string) {
  return {
    request: `idempotent request ${workspaceId} ${key}`,
    answer: `idempotent answer ${workspaceId} ${key}`,
  };
}
