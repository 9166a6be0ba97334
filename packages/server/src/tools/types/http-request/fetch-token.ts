import type { Clock } from '../../../clock.ts';
import { EgressFailed } from '../../../egress/egress-error.ts';
import type { GuardedLane, GuardedResponse } from '../../../egress/guarded-lane.ts';
import { isObject } from '../../../validation/json-schema/check.ts';

export interface ClientCredentials {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string | undefined;
}

export interface Token {
  value: string;
  /** In milliseconds of the clock. */
  freshUntil: number;
}

const timeoutMs = 15_000;
const mostBytes = 64 * 1024;
const defaultLifeSeconds = 300;
/** A token must not end while a request that carries it is under way. */
const marginMs = 30_000;

/** Asks as the standard wants it (basic authentication) and then, if refused, as many servers want it (in the body). */
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
  // Of a short life, half: a token that is stale at once would be fetched for every call.
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
  // No redirects: the secret is for this address.
  return lane.request({
    url: tokenUrl,
    method: 'POST',
    headers,
    body: form.toString(),
    timeoutMs,
    maxResponseBytes: mostBytes,
    maxRedirects: 0,
  });
}

/** Both are encoded as in a form first, by the standard, so that a colon in them does no harm. */
export function basicCredentials(clientId: string, clientSecret: string): string {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return Buffer.from(pair).toString('base64');
}

function parse({ body }: GuardedResponse): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : {};
  } catch {
    // Not JSON: the status says enough.
    return {};
  }
}
