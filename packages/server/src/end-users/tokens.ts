import type { Channel } from '@svc/contract/channels';
import type { EndUserToken } from '@svc/contract/end-users';
import type { EndUserPrincipal } from '../http/end-user.ts';
import type { Clock } from '../lib/clock.ts';
import { createGrowingLru } from '../lib/growing-lru.ts';
import { endUserTokenPrefix } from '../secrets/bearer-key.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

/** What a token says, and only this installation can have written. */
export type EndUserClaims = Omit<EndUserPrincipal, 'limits'>;

/** A renewal token opens nothing: it is exchanged for the next token of the same person. */
export type TokenKind = 'access' | 'renewal';

const kinds: Record<TokenKind, { prefix: string; context: string }> = {
  access: { prefix: endUserTokenPrefix, context: 'end-user token' },
  renewal: { prefix: 'svc_rt_', context: 'end-user renewal token' },
};

/** Longer than any token that was issued. */
const maxCharacters = 4_000;
const maxKnownTokens = 5_000;

/** As sealed in a token: short names, because every request carries them. */
interface SealedClaims {
  w: string;
  u: string;
  b: string | null;
  c: Channel;
  i: string;
  /** Seconds since 1970. */
  e: number;
  m: number | null;
  d: string | null;
  /** Left out if it is 0. */
  r?: number | undefined;
  p?: string | undefined;
}

/** Nothing is stored: a token is its claims, sealed. It stops working with the key that issued it, or when its person is revoked. */
export function createEndUserTokens({ box, clock }: { box: SecretBox; clock: Clock }) {
  const known = createGrowingLru<EndUserClaims>(maxKnownTokens);

  function open(token: string, kind: TokenKind): EndUserClaims | undefined {
    const { prefix, context } = kinds[kind];
    if (!token.startsWith(prefix) || token.length > maxCharacters) return undefined;
    const found = known.get(token);
    if (found) return found;
    const claims = openClaims(box, Buffer.from(token.slice(prefix.length), 'base64url'), context);
    if (claims) known.set(token, claims);
    return claims;
  }

  return {
    /** The expiry is rounded down to a whole second. */
    issue(claims: EndUserClaims, kind: TokenKind = 'access'): EndUserToken {
      const { prefix, context } = kinds[kind];
      const sealed = box.seal(JSON.stringify(toSealed(claims)), context);
      return {
        token: prefix + sealed.toString('base64url'),
        expires_at: new Date(toSeconds(claims.expiresAt) * 1000).toISOString(),
      };
    },

    /** Undefined unless it was issued here and has not expired. */
    read(token: string, kind: TokenKind = 'access'): EndUserClaims | undefined {
      const claims = open(token, kind);
      return claims && claims.expiresAt > clock.now() ? claims : undefined;
    },
  };
}

function openClaims(box: SecretBox, sealed: Buffer, context: string): EndUserClaims | undefined {
  let text: string;
  try {
    text = box.open(sealed, context);
  } catch {
    // Forged, changed, or sealed under a key that is no longer configured.
    return undefined;
  }
  return fromSealed(JSON.parse(text) as SealedClaims);
}

function toSealed({ caps, ...claims }: EndUserClaims): SealedClaims {
  return {
    w: claims.workspaceId,
    u: claims.externalUserId,
    b: claims.botId,
    c: claims.channel,
    i: claims.issuerId,
    e: toSeconds(claims.expiresAt),
    m: caps.messagesPerHour,
    d: caps.usdPerDay,
    r: claims.lastRevoked || undefined,
    p: claims.proof,
  };
}

function fromSealed({ w, u, b, c, i, e, m, d, r, p }: SealedClaims): EndUserClaims {
  return {
    workspaceId: w,
    externalUserId: u,
    botId: b,
    channel: c,
    issuerId: i,
    expiresAt: new Date(e * 1000),
    caps: { messagesPerHour: m, usdPerDay: d },
    lastRevoked: r ?? 0,
    ...(p !== undefined && { proof: p }),
  };
}

function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
