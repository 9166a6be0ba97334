import { createHash } from 'node:crypto';
import { splitOutside, unquote } from './message/sip-addresses.ts';

export interface Credentials {
  username: string;
  password: string;
}

/** A request for a proof of our password (RFC 7616). */
export interface Challenge {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: string | undefined;
  hash: 'md5' | 'sha256';
  isSession: boolean;
  hasQop: boolean;
  isStale: boolean;
}

/** The strongest of these challenges that we can answer, and want to. */
export function chooseChallenge(
  values: string[],
  isWanted: (challenge: Challenge) => boolean = () => true,
): Challenge | undefined {
  const known = values.flatMap((value) => parseChallenge(value) ?? []).filter(isWanted);
  return known.find(({ hash }) => hash === 'sha256') ?? known[0];
}

function parseChallenge(value: string): Challenge | undefined {
  const [, rest] = /^Digest\s+(.*)$/is.exec(value) ?? [];
  if (rest === undefined) return undefined;
  const fields = new Map<string, string>();
  for (const part of splitOutside(rest, ',')) {
    const [, name = '', field = ''] = /^([\w-]+)\s*=\s*(.*)$/s.exec(part) ?? [];
    fields.set(name.toLowerCase(), unquote(field));
  }
  const algorithm = fields.get('algorithm');
  const hash = hashes[algorithm?.toLowerCase().replace(/-sess$/, '') ?? 'md5'];
  const qops = fields
    .get('qop')
    ?.toLowerCase()
    .split(/[\s,]+/);
  const nonce = fields.get('nonce');
  if (!hash || nonce === undefined || (qops && !qops.includes('auth'))) return undefined;
  return {
    realm: fields.get('realm') ?? '',
    nonce,
    opaque: fields.get('opaque'),
    algorithm,
    hash,
    isSession: algorithm?.toLowerCase().endsWith('-sess') ?? false,
    hasQop: qops !== undefined,
    isStale: fields.get('stale')?.toLowerCase() === 'true',
  };
}

const hashes: Readonly<Record<string, 'md5' | 'sha256' | undefined>> = { md5: 'md5', 'sha-256': 'sha256' };

export interface Proof {
  challenge: Challenge;
  credentials: Credentials;
  method: string;
  uri: string;
  cnonce: string;
  /** How often this nonce was used, this time included. */
  count: number;
}

/** The value of Authorization or Proxy-Authorization. */
export function answerChallenge({ challenge, credentials, method, uri, cnonce, count }: Proof): string {
  const digest = (...parts: string[]) => createHash(challenge.hash).update(parts.join(':')).digest('hex');
  const { username, password } = credentials;
  const { realm, nonce } = challenge;
  const secret = digest(username, realm, password);
  const identity = challenge.isSession ? digest(secret, nonce, cnonce) : secret;
  const nc = count.toString(16).padStart(8, '0');
  const target = digest(method, uri);
  const response = challenge.hasQop
    ? digest(identity, nonce, nc, cnonce, 'auth', target)
    : digest(identity, nonce, target);
  const fields = [
    `username=${quote(username)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    `response="${response}"`,
    ...(challenge.algorithm === undefined ? [] : [`algorithm=${challenge.algorithm}`]),
    ...(challenge.opaque === undefined ? [] : [`opaque=${quote(challenge.opaque)}`]),
    ...(challenge.hasQop ? ['qop=auth', `nc=${nc}`] : []),
    ...(challenge.hasQop || challenge.isSession ? [`cnonce=${quote(cnonce)}`] : []),
  ];
  return `Digest ${fields.join(', ')}`;
}

function quote(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
