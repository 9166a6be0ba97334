import type { Ability } from '@svc/contract/abilities';
import type { ErrorCode } from '@svc/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../app-error.ts';
import type { KeyService, Principal } from '../keys/service.ts';
import {
  type Caller,
  type RequestLimits,
  type RequestRate,
  tooManyRequests,
} from '../limits/request-limits.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';

/** Who may call an operation, and by which kind of key. A route without one does not start. */
export type Access =
  | { scheme: 'account_key'; ability: Ability }
  | { scheme: 'machine_key' }
  | { scheme: 'none' };

/** The paired machine that a valid machine key stands for. */
export interface MachinePrincipal {
  machineId: string;
  workspaceId: string;
  name: string;
  /** The connection that its daemon has, possibly to another node. */
  connectionId: string | null;
  /** The limits set for the workspace. */
  limits: StoredLimits;
}

/** One kind of key. */
export interface KeyCheck<Found> {
  /** Throws UNAUTHORIZED unless it is a valid key of this kind. */
  authenticate(key: string): Promise<Found>;
  /** Whether the key was valid when this node last looked it up. */
  hasWorked(key: string): boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    badBody?: ErrorCode;
  }
  interface FastifyRequest {
    /** The caller, on a route that needs an account key. */
    principal: Principal | null;
    /** The caller, on a route that needs a machine key. */
    machine: MachinePrincipal | null;
  }
}

export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export interface AccessDependencies {
  keys: Pick<KeyService, 'authenticate' | 'hasWorked'>;
  machineKeys: KeyCheck<MachinePrincipal>;
  limits: RequestLimits;
}

/** Runs before the body is read, so that requests without a valid key or above the limit cost little. */
export function createAuthenticate({ keys, machineKeys, limits }: AccessDependencies): Authenticate {
  return async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (!access || access.scheme === 'none') return;
    if (access.scheme === 'machine_key') {
      const machine = await identify(request, reply, machineKeys);
      const counting = admit(reply, { ...machine, keyId: machine.machineId });
      if (counting) await counting;
      request.machine = machine;
      return;
    }
    const principal = await identify(request, reply, keys);
    const counting = admit(reply, principal);
    if (counting) await counting;
    if (!principal.abilities.has(access.ability)) {
      throw new AppError('FORBIDDEN', {
        message: `This key lacks the ability ${access.ability}.`,
        details: [{ ability: access.ability }],
      });
    }
    request.principal = principal;
  };

  /** Counts a request. Undefined without a limit: nothing to wait for. */
  function admit(reply: FastifyReply, caller: Caller): Promise<void> | undefined {
    return limits.admit(caller)?.then((rate) => setRateHeaders(reply, rate));
  }

  /**
   * Guessing keys is stopped before the database is queried: a key that has not worked here yet counts as wrong until it is
   * found to be valid, so that parallel attempts are limited like sequential ones. A key that has worked is never delayed.
   */
  async function identify<Found>(
    request: FastifyRequest,
    reply: FastifyReply,
    check: KeyCheck<Found>,
  ): Promise<Found> {
    const token = bearerToken(request.headers.authorization);
    const address = addressOf(request);
    const isKnown = token !== undefined && check.hasWorked(token);
    const before = isKnown ? undefined : await limits.countStranger(address);
    if (before?.isOver) setRateHeaders(reply, before);
    try {
      if (!token) throw new AppError('UNAUTHORIZED');
      const found = await check.authenticate(token);
      if (before) await before.takeBack();
      return found;
    } catch (error) {
      const isStranger = error instanceof AppError && error.code === 'UNAUTHORIZED';
      // An unreachable database says nothing about the key.
      if (before && !isStranger) await before.takeBack();
      const rate = isStranger ? (before ?? (await limits.countStranger(address))) : undefined;
      if (rate) setRateHeaders(reply, rate);
      throw error;
    }
  }
}

/** Sets the three RateLimit headers that most clients know; see docs/operating.md. Throws when the limit is exceeded. */
function setRateHeaders(reply: FastifyReply, rate: RequestRate): void {
  reply.headers({
    'ratelimit-limit': rate.limit,
    'ratelimit-remaining': rate.remaining,
    'ratelimit-reset': rate.resetSeconds,
  });
  if (rate.isOver) throw tooManyRequests(rate);
}

/** The address of the connection: forwarding headers can be forged. */
function addressOf({ socket }: FastifyRequest): string {
  return socket.remoteAddress ?? '';
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** The caller's workspace, on a route that needs an account key. */
export function workspaceOf(request: FastifyRequest): string {
  return principalOf(request).workspaceId;
}

export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('This route has no principal: declare an ability on it.');
  return request.principal;
}

export function machineOf(request: FastifyRequest): MachinePrincipal {
  if (!request.machine) throw new Error('This route has no machine: declare that it needs a machine key.');
  return request.machine;
}

/** Ends a stream when the key that opened it is revoked or expires. Returns a function that stops watching. */
export type WatchKey = (request: FastifyRequest, end: () => void) => () => void;

export function createWatchKey(keys: {
  onForgotten(keyId: string, callback: () => void): () => void;
}): WatchKey {
  return (request, end) => keys.onForgotten(principalOf(request).keyId, end);
}
