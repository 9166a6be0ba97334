import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { EgressFailed } from '../../../egress/egress-error.ts';
import type { GuardedLane } from '../../../egress/guarded-lane.ts';
import { orAbort } from '../../../egress/or-abort.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type ClientCredentials, fetchToken, type Token } from './fetch-token.ts';

/** Access tokens from client credentials, cached until shortly before they expire. */
export type OAuthTokens = ReturnType<typeof createOAuthTokens>;

interface Entry {
  token: Promise<Token>;
  /** Set as soon as the token has arrived. */
  current: Token | undefined;
}

const maxTokens = 1_000;

export function createOAuthTokens({ lane, clock }: { lane: GuardedLane; clock: Clock }) {
  const entries = new LRUCache<string, Entry>({ max: maxTokens });

  function start(key: string, credentials: ClientCredentials): Entry {
    // Without the first caller's signal, because others wait for the same token.
    const entry: Entry = { token: fetchToken(lane, clock, credentials), current: undefined };
    entries.set(key, entry);
    void settle(key, entry);
    return entry;
  }

  async function settle(key: string, entry: Entry): Promise<void> {
    try {
      entry.current = await entry.token;
    } catch {
      // Callers that wait for the token get the error; the next call starts again.
      if (entries.get(key) === entry) entries.delete(key);
    }
  }

  return {
    /** Only one request per token at a time: concurrent callers wait for it. */
    async get(owner: string, credentials: ClientCredentials, signal: AbortSignal): Promise<string> {
      const key = keyOf(owner, credentials);
      const kept = entries.get(key);
      const usable = kept && (!kept.current || kept.current.freshUntil > clock.now().getTime());
      const entry = usable ? kept : start(key, credentials);
      const { value } = await orAbort(entry.token, signal);
      if (value === '') throw new EgressFailed('The token endpoint gave an empty token.');
      return value;
    },
    /** For a token that the API refused: the next caller gets another. Does nothing when it was replaced already. */
    forget(owner: string, credentials: ClientCredentials, token: string): void {
      const key = keyOf(owner, credentials);
      if (entries.get(key)?.current?.value === token) entries.delete(key);
    },
  };
}

/** Changed credentials have another key; a hash, so that the secret itself is not kept here. */
function keyOf(owner: string, { tokenUrl, clientId, clientSecret, scope }: ClientCredentials): string {
  const parts = JSON.stringify([owner, tokenUrl, clientId, clientSecret, scope ?? null]);
  return createHash('sha256').update(parts).digest('base64');
}
