import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import type { EndUserPrincipal } from '../http/end-user.ts';
import type { Clock } from '../lib/clock.ts';
import { createWatchers } from '../lib/watchers.ts';
import { revocationStore } from './end-users.store.ts';

/** Names a person. Ids of people are unique within their workspace. */
export type PersonId = Pick<EndUserPrincipal, 'workspaceId' | 'externalUserId'>;

/** By the hex of the person's hash, in milliseconds since 1970; 'many' if there are too many to hold. */
type Revoked = ReadonlyMap<string, number> | 'many';

const maxWorkspaces = 1_000;
/** In larger workspaces each person is looked up, by the primary key. */
const maxHeld = 1_000;
/** Entries expire after this time even without a notification. */
const believedMilliseconds = 10_000;
/** Longer than any token lasts. */
const keptMilliseconds = 100 * 24 * 60 * 60 * 1_000;

/**
 * When each person's tokens were last revoked. What a workspace has of that is cached, so that people who were never revoked cost no
 * statement of their own.
 */
export function createRevocations({ database, clock }: { database: Database; clock: Clock }) {
  const held = new LRUCache<string, Promise<Revoked>>({
    max: maxWorkspaces,
    ttl: believedMilliseconds,
    ttlResolution: 0,
  });
  const watchers = createWatchers();
  let isTrusted = false;

  async function load(workspaceId: string): Promise<Revoked> {
    const rows = await revocationStore.list(database.within(workspaceId), workspaceId, maxHeld + 1);
    if (rows.length > maxHeld) return 'many';
    return new Map(rows.map(({ person, revokedAt }) => [person.toString('hex'), revokedAt.getTime()]));
  }

  /** A notification removes what was being loaded when it arrived, so nothing older is used after it. */
  function revokedIn(workspaceId: string): Promise<Revoked> {
    const known = held.get(workspaceId);
    if (known) return known;
    const loading = load(workspaceId);
    if (!isTrusted) return loading;
    held.set(workspaceId, loading);
    loading.catch(() => {
      if (held.peek(workspaceId) === loading) held.delete(workspaceId);
    });
    return loading;
  }

  async function read(query: Queryable, person: PersonId): Promise<number> {
    const found = await revocationStore.find(query, person.workspaceId, hashOf(person));
    return found?.getTime() ?? 0;
  }

  function hear(name: string): void {
    held.delete(name.slice(0, name.indexOf(' ')));
    watchers.notify(name);
  }

  return {
    /** In milliseconds since 1970; 0 if never. As stored: what is issued next depends on it. */
    read,

    /** The same as far as this node knows, for every request. */
    async lastOf(person: PersonId): Promise<number> {
      const revoked = await revokedIn(person.workspaceId);
      if (revoked === 'many') return read(database.within(person.workspaceId), person);
      return revoked.size === 0 ? 0 : (revoked.get(hashOf(person).toString('hex')) ?? 0);
    },

    /** The same in a transaction that begins something for the person: a revocation comes before it, or waits for its end. */
    async readLocked(tx: Transaction, person: PersonId): Promise<number> {
      await revocationStore.lock(tx, person.workspaceId, hashOf(person));
      return read(tx, person);
    },

    revoke: (tx: Transaction, person: PersonId): Promise<void> =>
      revocationStore.revoke(tx, person.workspaceId, hashOf(person)),

    /** For the node that revokes, after its transaction: it need not wait for its own notification. */
    forget: (person: PersonId): void => hear(nameOf(person)),

    /** Calls back when a person's tokens may have been revoked, until the returned function is called. */
    onRevoked(person: PersonId, callback: () => void): () => void {
      return watchers.watch(nameOf(person), callback);
    },

    /** A notification has arrived. */
    hear,

    /** While notifications cannot arrive, nothing is cached; after a reconnect, anybody may have been revoked. */
    setListening(isListening: boolean): void {
      isTrusted = isListening;
      held.clear();
      if (isListening) watchers.notifyAll();
    },

    /** Deletes those of tokens that have expired anyway. */
    sweep: (): Promise<void> =>
      revocationStore.deleteOldAcrossWorkspaces(
        database.acrossWorkspaces,
        new Date(clock.now().getTime() - keptMilliseconds),
      ),
  };
}

/** As notifications name a person. */
function nameOf(person: PersonId): string {
  return `${person.workspaceId} ${hashOf(person).toString('hex')}`;
}

/** Not keyed, because it must outlive a change of the encryption key. */
function hashOf({ workspaceId, externalUserId }: PersonId): Buffer {
  return createHash('sha256').update(`${workspaceId} ${externalUserId}`).digest();
}
