import { createHash } from 'node:crypto';
import type { Clock } from '../../../clock.ts';
import { EgressFailed } from '../../../egress/egress-error.ts';
import type { GuardedLane } from '../../../egress/guarded-lane.ts';
import { orAbort } from '../../../egress/or-abort.ts';
import { type ClientCredentials, fetchToken, type Token } from './fetch-token.ts';

/** Access tokens by client credentials, kept until shortly before they end. */
export interface OAuthTokens {
  /** One request for a token at a time: whoever comes meanwhile waits for it. */
  get(owner: string, credentials: ClientCredentials, signal: AbortSignal): Promise<string>;
  /** The API did not take it: the next caller gets another. Forgetting one that was replaced already does nothing. */
  forget(owner: string, credentials: ClientCredentials, token: string): void;
}

interface Entry {
  token: Promise<Token>;
  /** Known as soon as the token is there. */
  current: Token | undefined;
}

const mostTokens = 1_000;

export function createOAuthTokens({ lane, clock }: { lane: GuardedLane; clock: Clock }): OAuthTokens {
  const entries = new Map<string, Entry>();

  function start(key: string, credentials: ClientCredentials): Entry {
    // Not with the signal of the first who asks: others wait for the same token.
    const entry: Entry = { token: fetchToken(lane, clock, credentials), current: undefined };
    entries.set(key, entry);
    void settle(key, entry);
    const oldest = entries.keys().next().value;
    if (entries.size > mostTokens && oldest !== undefined) entries.delete(oldest);
    return entry;
  }

  async function settle(key: string, entry: Entry): Promise<void> {
    try {
      entry.current = await entry.token;
    } catch {
      // Whoever waits for the token is told; the next who asks starts anew.
      if (entries.get(key) === entry) entries.delete(key);
    }
  }

  return {
    async get(owner, credentials, signal) {
      const key = keyOf(owner, credentials);
      const kept = entries.get(key);
      const usable = kept && (!kept.current || kept.current.freshUntil > clock.now().getTime());
      const entry = usable ? kept : start(key, credentials);
      const { value } = await orAbort(entry.token, signal);
      if (value === '') throw new EgressFailed('The token endpoint gave an empty token.');
      return value;
    },
    forget(owner, credentials, token) {
      const key = keyOf(owner, credentials);
      if (entries.get(key)?.current?.value === token) entries.delete(key);
    },
  };
}

/** Changed credentials are another key; the secret itself is not kept here. */
function keyOf(owner: string, { tokenUrl, clientId, clientSecret, scope }: ClientCredentials): string {
  const parts = JSON.stringify([owner, tokenUrl, clientId, clientSecret, scope ?? null]);
  return createHash('sha256').update(parts).digest('base64');
}
