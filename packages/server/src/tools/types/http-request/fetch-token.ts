import { EgressFailed } from '../../../egress/egress-error.ts';
import type { GuardedLane, GuardedResponse } from '../../../egress/guarded-lane.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isObject } from '../../../validation/json-schema/check.ts';

export interface ClientCredentials {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string | undefined;
}

export interface Token {
  value: string;
  /** In milliseconds since the epoch. */
  freshUntil: number;
}

const timeoutMs = 15_000;
const maxBytes = 64 * 1024;
const defaultLifeSeconds = 300;
/** A token must not expire while a request that carries it is in progress. */
const marginMs = 30_000;

/** Authenticates as the standard says (basic) and then, if refused, as many servers expect it (in the body). */
export async function fetchToken(
  lane: GuardedLane,
  clock: Clock,
  credentials: ClientCredentials,
): Promise<Token> {
  const first = await ask(lane, credentials, 'basic');
  const answer = first.status === 400 || first.status === 401 ? await ask(lane, credentials, 'body') : first;
  const body = parse(answer);
  const { access_token: value, expires_in: life } = body;
  if (answer.status !== 200 || typeof value !== 'string') {
    const reason = typeof body['error'] === 'string' ? `: ${body['error'].slice(0, 200)}` : '';
    throw new EgressFailed(`The token endpoint answered ${answer.status}${reason}.`);
  }
  const seconds = Number(life ?? defaultLifeSeconds);
  const lifeMs = (seconds > 0 ? seconds : defaultLifeSeconds) * 1000;
  // At most half of a short life: a token that is stale immediately would be fetched for every call.
  return { value, freshUntil: clock.now().getTime() + Math.max(lifeMs - marginMs, lifeMs / 2) };
}

function ask(
  lane: GuardedLane,
  { tokenUrl, clientId, clientSecret, scope }: ClientCredentials,
  way: 'basic' | 'body',
): Promise<GuardedResponse> {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope) form.set('scope', scope);
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (way === 'basic') {
    headers['authorization'] = `Basic ${basicCredentials(clientId, clientSecret)}`;
  } else {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  }
  // No redirects, because the secret is for this address only.
  return lane.request({
    url: tokenUrl,
    method: 'POST',
    headers,
    body: form.toString(),
    timeoutMs,
    maxResponseBytes: maxBytes,
    maxRedirects: 0,
  });
}

/** The standard form-encodes both first, so that a colon in them does no harm. */
export function basicCredentials(clientId: string, clientSecret: string): string {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return Buffer.from(pair).toString('base64');
}

function parse({ body }: GuardedResponse): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : {};
  } catch {
    // Not JSON: the status is reported instead.
    return {};
  }
}
