import type { ErrorBody } from '@svc/contract/common';
import type { VisitorToken, VisitorTokenCreate } from '@svc/contract/widget-visitor';
import type { Identity } from '../protocol.ts';
import type { SavedState } from './saved-state.ts';

/** The service's answer to a request that it did not carry out. */
export interface Refusal extends Error {
  status: number;
  code: string | undefined;
  details: readonly Record<string, unknown>[];
  /** Seconds; 0 if the service gave none. */
  retryAfter: number;
}

export function isRefused(error: unknown): error is Refusal {
  return error instanceof Error && 'status' in error;
}

export interface Call {
  body?: object | undefined;
  signal: AbortSignal;
  idempotencyKey?: string;
}

export interface WidgetApiOptions {
  service: string;
  key: string;
  fetch: typeof fetch;
  saved: SavedState;
  /** As the page gave it last: it changes when its server has signed it again. */
  identity: Identity | null;
  /** Ends everything that is done for this visitor. */
  signal: AbortSignal;
}

export type CallWidgetApi = (path: string, call: Call) => Promise<Response>;

/** Makes the requests of one visitor. Its token is created when one is needed, and again when it is no longer accepted. */
export function createWidgetApi(options: WidgetApiOptions): CallWidgetApi {
  const { service, key, fetch, saved, identity } = options;
  let creating: Promise<string> | undefined;

  async function request(path: string, { body, signal, idempotencyKey }: Call, token?: string) {
    const isForm = body instanceof FormData;
    const response = await fetch(
      `${service}/api/widget/${path}${path.includes('?') ? '&' : '?'}key=${encodeURIComponent(key)}`,
      {
        method: body ? 'POST' : 'GET',
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && !isForm && { 'content-type': 'application/json' }),
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
        body: isForm ? body : body ? JSON.stringify(body) : null,
        credentials: 'omit',
        cache: 'no-store',
        // A stream has no end; its reader notices when it is silent.
        signal: path.startsWith('stream')
          ? signal
          : AbortSignal.any([signal, AbortSignal.timeout(isForm ? 120_000 : 30_000)]),
      },
    );
    if (response.ok) return response;
    throw await toRefusal(response);
  }

  /** The page's word comes first. It may have been open for longer than that is valid: then the token is renewed. */
  async function createToken(vouched = identity): Promise<string> {
    const { renewal } = saved.get();
    const hash = identity?.user_hash;
    try {
      const body: VisitorTokenCreate = vouched ?? (renewal ? { renewal_token: renewal } : {});
      const response = await request('token', { body, signal: options.signal });
      const { token, renewal_token } = (await response.json()) as VisitorToken;
      saved.set({ token, renewal: renewal_token });
      return token;
    } catch (error) {
      // The page has brought another signature meanwhile.
      if (hash !== identity?.user_hash) return createToken();
      // The details of a signature that has expired say when.
      const isOver = isRefused(error) && (vouched ? error.details[0]?.['expired_at'] : error.status === 401);
      if (!renewal || !isOver) throw error;
      // A visitor whose session can no longer be continued starts a new one.
      if (!vouched) saved.set({ renewal: undefined });
      return createToken(vouched ? null : identity);
    }
  }

  async function getToken(): Promise<string> {
    const { token } = saved.get();
    if (token) return token;
    creating ??= createToken().finally(() => {
      creating = undefined;
    });
    return creating;
  }

  return async (path, call) => {
    const token = await getToken();
    try {
      return await request(path, call, token);
    } catch (error) {
      if (!isRefused(error) || error.status !== 401) throw error;
      // Another tab may have renewed it already.
      if (saved.get().token === token) saved.set({ token: undefined });
      return request(path, call, await getToken());
    }
  };
}

async function toRefusal(response: Response): Promise<Refusal> {
  // A proxy may answer with something else than JSON.
  const { code, message, details = [] }: Partial<ErrorBody> = await response.json().catch(() => ({}));
  const retryAfter = Number(response.headers.get('retry-after'));
  return Object.assign(new Error(message), { status: response.status, code, details, retryAfter });
}
