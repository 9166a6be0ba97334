import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditActorType } from '@svc/contract/audit';

/** On whose behalf something is done. */
export interface Actor {
  type: AuditActorType;
  /** Of the member or the account key. */
  id: string | null;
  /** Of the member; keys are found by their id. */
  name: string | null;
}

const current = new AsyncLocalStorage<Actor>();

/** Everything that the work does, and starts, is on behalf of this actor. */
export function actAs<Result>(actor: Actor, work: () => Result): Result {
  return current.run(actor, work);
}

/** The service itself unless a person or key is known. */
export function currentActor(): Actor {
  return current.getStore() ?? { type: 'service', id: null, name: null };
}
