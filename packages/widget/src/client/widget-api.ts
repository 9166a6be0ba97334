import type { ErrorBody } from '@svc/contract/common';
import type { VisitorToken, VisitorTokenCreate } from '@svc/contract/widget-visitor';
import type { Identity } from '../protocol.ts';
import type { SavedState } from './saved-state.ts';

/** The service's answer to a request that it did not carry out. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly Record<string, unknown>[];
  /** Seconds; 0 if the service gave none. */
  readonly retryAfter: number;

  constructor({ status, headers }: Response, body: Partial<ErrorBody>) {
    super(body.message);
    this.status = status;
    this.code = body.code ?? '';
    this.details = body.details ?? [];
    this.retryAfter = Number(headers.get('retry-after')) || 0;
  }
}

export interface Call {
  body?: object;
  signal: AbortSignal;
  idempotencyKey?: string;
}

export interface WidgetApiOptions {
  service: string;
  key: string;
  fetch: typeof fetch;
}

export interface Visitor {
  saved: SavedState;
  identity: Identity | null;
}

export type WidgetApi = ReturnType<typeof createWidgetApi>;

/** The requests of one visitor. Tokens are created, and renewed when the service no longer accepts them. */
export function createWidgetApi({ service, key, fetch }: WidgetApiOptions, { saved, identity }: Visitor) {
  let creating: Promise<string> | undefined;

  async function request(path: string, { body, signal, idempotencyKey }: Call, token?: string) {
    const response = await fetch(
      `${service}/api/widget/${path}${path.includes('?') ? '&' : '?'}key=${encodeURIComponent(key)}`,
      {
        method: body ? 'POST' : 'GET',
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
        ...(body && { body: JSON.stringify(body) }),
        credentials: 'omit',
        cache: 'no-store',
        signal,
      },
    );
    if (response.ok) return response;
    throw await toRefusal(response);
  }

  async function createToken(signal: AbortSignal): Promise<string> {
    const renewal = saved.get().renewal;
    const body: VisitorTokenCreate = identity ?? (renewal ? { renewal_token: renewal } : {});
    try {
      const response = await request('token', { body, signal });
      const { token, renewal_token } = (await response.json()) as VisitorToken;
      saved.set(identity ? { token } : { token, renewal: renewal_token });
      return token;
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401 || body.renewal_token === undefined)
        throw error;
      // The visitor is too old to be continued, and so is the conversation.
      saved.clear();
      return createToken(signal);
    }
  }

  async function getToken(signal: AbortSignal): Promise<string> {
    const { token } = saved.get();
    if (token) return token;
    creating ??= createToken(signal).finally(() => {
      creating = undefined;
    });
    return creating;
  }

  return async (path: string, call: Call): Promise<Response> => {
    const token = await getToken(call.signal);
    try {
      return await request(path, call, token);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401) throw error;
      if (saved.get().token === token) saved.set({ token: undefined });
      return request(path, call, await getToken(call.signal));
    }
  };
}

async function toRefusal(response: Response): Promise<Refusal> {
  // A proxy may answer with something else than JSON.
  const body: Partial<ErrorBody> = await response.json().catch(() => ({}));
  return new Refusal(response, body);
}
