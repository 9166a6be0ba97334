import { timingSafeEqual } from 'node:crypto';
import { type Ability, abilities as allAbilities } from '@svc/contract/abilities';
import type { AccountKeyCreate, CreatedAccountKey, AccountKey as WireKey } from '@svc/contract/keys';
import { recordChange } from '../audit/audit.service.ts';
import type { Transaction } from '../database/database.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import { AppError, invalid, notFound } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import { hashKey, looksLikeKey, makeKey } from '../secrets/bearer-key.ts';
import type { Services } from '../services.ts';
import type { KeyCache } from './key-cache.ts';
import { type FoundKey, type KeyRow, keyStore } from './keys.store.ts';
import { toDocument, toWire } from './keys.wire.ts';
import type { Principal } from './principal.ts';

export interface NewKeyOptions {
  workspaceId: string;
  name: string;
  abilities: Ability[] | 'all';
  expiresAt?: Date | null;
}

export { heldKeys } from './held-keys.ts';
export { revokedChannel } from './keys.store.ts';
export type { Principal } from './principal.ts';
export type AccountKey = Omit<KeyRow, 'hash' | 'lastUsedAt'>;
export type KeyService = ReturnType<typeof createKeyService>;

export interface KeyDependencies extends Pick<Services, 'clock' | 'database'> {
  cache: KeyCache;
}

export function createKeyService({ database, cache, clock }: KeyDependencies) {
  /** Keys that were looked up since their uses were last stored. A key in use is looked up every few seconds. */
  const uses = new Map<string, Date>();

  return {
    /** The principal of a valid key; throws the same UNAUTHORIZED whatever is wrong with it. */
    async authenticate(key: string): Promise<Principal> {
      if (!looksLikeKey('svc_sk_', key)) throw new AppError('UNAUTHORIZED');
      const hash = hashKey(key);
      const principal = cache.find(nameOf(hash)) ?? (await look(hash));
      if (!principal || (principal.expiresAt && principal.expiresAt <= clock.now())) {
        throw new AppError('UNAUTHORIZED');
      }
      return principal;
    },

    /** Whether the key was valid when this node last looked it up: callers that guess keys have no such key. */
    hasWorked(key: string): boolean {
      return looksLikeKey('svc_sk_', key) && cache.hasWorked(nameOf(hashKey(key)));
    },

    /** The principal of a valid key that has issued a token; undefined once the key is revoked or has expired. */
    async findIssuer(workspaceId: string, keyId: string): Promise<Principal | undefined> {
      const known = cache.find(keyId);
      const principal =
        known ??
        (await remember(keyId, () =>
          keyStore.findWithLimits(database.within(workspaceId), workspaceId, keyId),
        ));
      if (principal?.workspaceId !== workspaceId) return undefined;
      return principal.expiresAt && principal.expiresAt <= clock.now() ? undefined : principal;
    },

    /** Whether the key was valid when this node last looked it up as an issuer. */
    hasIssued: (keyId: string): boolean => cache.hasWorked(keyId),

    /** Stores a new key and returns its text, which cannot be retrieved again. */
    async create(tx: Transaction, options: NewKeyOptions): Promise<{ key: string; accountKey: AccountKey }> {
      const key = makeKey('svc_sk_');
      const row = newRow(key, options);
      await keyStore.insert(tx, options.workspaceId, row);
      await recordKey(tx, options.workspaceId, row);
      return { key, accountKey: { ...row, workspaceId: options.workspaceId, createdAt: clock.now() } };
    },

    readGrant,

    /** Stores a key that another key requested and may grant. */
    async createGranted(
      { workspaceId, keyId, confirm }: Pick<Principal, 'workspaceId' | 'keyId' | 'confirm'>,
      grant: Grant,
      record: RecordAnswer<CreatedAccountKey>,
    ): Promise<CreatedAccountKey> {
      if (grant.expiresAt && grant.expiresAt <= clock.now())
        throw invalid('expires_at', 'must be in the future');
      const key = makeKey('svc_sk_');
      const row = { ...newRow(key, grant), createdBy: keyId };
      const answer = { ...toDocument({ ...row, workspaceId, createdAt: clock.now() }), key };
      await database.within(workspaceId).transaction(async (tx) => {
        await confirm(tx);
        await keyStore.insert(tx, workspaceId, row);
        await recordKey(tx, workspaceId, row);
        await record(tx, answer);
      });
      return answer;
    },

    listIn: (workspaceId: string): ListPages<WireKey> =>
      inPages(
        (after) => keyStore.listPage(database.within(workspaceId), workspaceId, after),
        (rows) => rows.map(toWire),
      ),

    /** Takes effect on every node immediately. Repeated calls change nothing. */
    async revokeIn(workspaceId: string, keyId: string): Promise<void> {
      if (!(await keyStore.find(database.within(workspaceId), workspaceId, keyId))) throw notFound();
      await revoke(keyId);
    },

    list(): Promise<AccountKey[]> {
      return keyStore.listAcrossWorkspaces(database.acrossWorkspaces);
    },

    /** The same for the operator, for a key of any workspace. */
    revoke,

    /** Stores when keys were last used. */
    async saveUses(): Promise<void> {
      if (uses.size === 0) return;
      // Every node locks the rows in the same order.
      const entries = [...uses].toSorted(([one], [other]) => (one < other ? -1 : 1));
      const [ids, times] = [entries.map(([id]) => id), entries.map(([, time]) => time)];
      await keyStore.setLastUsesAcrossWorkspaces(database.acrossWorkspaces, ids, times);
      for (const [id, time] of entries) if (uses.get(id) === time) uses.delete(id);
    },

    /** Forgets keys of open streams that have expired, or whose revocation was not received. */
    async forgetDeadKeys(): Promise<void> {
      const watched = cache.watched();
      if (watched.length === 0) return;
      const dead = await keyStore.listDeadAcrossWorkspaces(database.acrossWorkspaces, watched, clock.now());
      for (const keyId of dead) cache.forget(keyId);
    },

    /** Stores the configured key with every ability; false when it was revoked, which is permanent. */
    async ensureBootstrapKey(workspaceId: string, key: string): Promise<boolean> {
      const row = newRow(key, { name: 'Bootstrap key', abilities: 'all' });
      await keyStore.insertIfAbsent(database.within(workspaceId), workspaceId, row);
      return (await look(row.hash)) !== undefined;
    },

    /** Creates the first key of an installation; undefined when there is one already. */
    ensureFirstKey(workspaceId: string): Promise<string | undefined> {
      return database.acrossWorkspaces.transaction(async (tx: Transaction) => {
        if ((await keyStore.countAloneAcrossWorkspaces(tx)) > 0) return undefined;
        const key = makeKey('svc_sk_');
        await keyStore.insert(tx, workspaceId, newRow(key, { name: 'First key', abilities: 'all' }));
        return key;
      });
    },
  };

  async function revoke(keyId: string): Promise<AccountKey> {
    const row = await database.acrossWorkspaces.transaction(async (tx) => {
      const { row: found, isChanged } = await keyStore.revokeAcrossWorkspaces(tx, keyId);
      if (found && isChanged) {
        const object = { id: keyId, name: found.name };
        await recordChange(tx, found.workspaceId, { action: 'key.revoked', object });
      }
      return found;
    });
    if (!row) throw notFound();
    cache.forget(keyId);
    return row;
  }

  function look(hash: Buffer): Promise<Principal | undefined> {
    return remember(nameOf(hash), async () => {
      const row = await keyStore.findByHashAcrossWorkspaces(database.acrossWorkspaces, hash);
      return row && timingSafeEqual(row.hash, hash) ? row : undefined;
    });
  }

  async function remember(
    name: string,
    find: () => Promise<FoundKey | undefined>,
  ): Promise<Principal | undefined> {
    const ticket = cache.openTicket();
    const row = await find();
    const isGood = row !== undefined && !row.revokedAt;
    cache.noteLookup(name, isGood);
    if (!isGood) return undefined;
    uses.set(row.id, clock.now());
    const principal = toPrincipal(row);
    cache.remember(ticket, principal, name);
    return principal;
  }
}

/** Where the cache has a key by its hash. An id, by which it has issuers, is longer, so the two never meet. */
function nameOf(hash: Buffer): string {
  return hash.toString('latin1');
}

function newRow(
  key: string,
  options: Omit<NewKeyOptions, 'workspaceId' | 'abilities'> & { abilities: string[] | 'all' },
) {
  return {
    id: newId(),
    name: options.name,
    hash: hashKey(key),
    hint: key.slice(-4),
    abilities: options.abilities === 'all' ? ['all'] : options.abilities,
    expiresAt: options.expiresAt ?? null,
    revokedAt: null,
    createdBy: null,
  };
}

function recordKey(tx: Transaction, workspaceId: string, row: Omit<ReturnType<typeof newRow>, 'createdBy'>) {
  const { id, name, abilities, expiresAt } = row;
  const after = { name, abilities, expires_at: expiresAt?.toISOString() ?? null };
  return recordChange(tx, workspaceId, { action: 'key.created', object: { id, name }, after });
}

function toPrincipal(row: FoundKey): Principal {
  const hasAll = row.abilities.includes('all');
  const granted = hasAll ? allAbilities : (row.abilities as Ability[]);
  return {
    workspaceId: row.workspaceId,
    keyId: row.id,
    abilities: new Set(granted),
    hasAll,
    expiresAt: row.expiresAt,
    limits: row.limits,
    async confirm(tx) {
      if (!(await keyStore.holdWorking(tx, row.workspaceId, row.id))) throw new AppError('UNAUTHORIZED');
    },
  };
}

/** The fields of a new key, as they are stored. */
interface Grant {
  name: string;
  abilities: string[];
  expiresAt: Date | null;
}

type Granter = Pick<Principal, 'abilities' | 'hasAll' | 'expiresAt'>;

/**
 * Reads a request for a new key. Throws FORBIDDEN when it exceeds what the requesting key has: an ability, `all` (which
 * includes abilities that are added later), or a later expiry.
 */
function readGrant(granter: Granter, body: AccountKeyCreate): Grant {
  const wanted = new Set(body.abilities === 'all' ? ['all' as const] : body.abilities);
  const abilities = wanted.has('all') ? (['all'] as const) : [...wanted];
  const missing = abilities.filter((ability) =>
    ability === 'all' ? !granter.hasAll : !granter.abilities.has(ability),
  );
  if (missing.length > 0) {
    throw new AppError('FORBIDDEN', {
      message: `This key cannot grant what it does not have: ${missing.join(', ')}.`,
      details: missing.map((ability) => ({ path: 'abilities', ability })),
    });
  }
  return { name: body.name, abilities: [...abilities], expiresAt: readExpiry(granter, body.expires_at) };
}

function readExpiry({ expiresAt: last }: Granter, text: string | null | undefined): Date | null {
  const wanted = text ? new Date(text) : null;
  if (wanted && Number.isNaN(wanted.getTime()))
    throw invalid('expires_at', 'must be an existing date and time');
  // Its time zone may move it past the last four-digit year.
  if (wanted && wanted.getUTCFullYear() > 9999) throw invalid('expires_at', 'must be before the year 10000');
  if (last && (!wanted || wanted > last)) {
    const latest = last.toISOString();
    throw new AppError('FORBIDDEN', {
      message: `This key expires at ${latest}: a key that it creates needs an expires_at no later than that.`,
      details: [{ path: 'expires_at', latest }],
    });
  }
  return wanted;
}
