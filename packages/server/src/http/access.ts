import type { Ability } from '@svc/contract/abilities';
import type { ErrorCode } from '@svc/contract/errors';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../app-error.ts';
import type { KeyService, Principal } from '../keys/service.ts';

/** Who may call an operation, and by which kind of key. A route without one does not start. */
export type Access = { scheme: 'account_key'; ability: Ability } | { scheme: 'none' };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    badBody?: ErrorCode;
  }
  interface FastifyRequest {
    principal: Principal | null;
  }
}

export type Authenticate = (request: FastifyRequest) => Promise<void>;

/** Runs before the body is read: who has no right to send one is not listened to. */
export function createAuthenticate(keys: Pick<KeyService, 'authenticate'>): Authenticate {
  return async (request) => {
    const { access } = request.routeOptions.config;
    if (!access || access.scheme === 'none') return;
    const principal = await keys.authenticate(bearerToken(request.headers.authorization));
    if (!principal.abilities.has(access.ability)) {
      throw new AppError('FORBIDDEN', {
        message: `This key lacks the ability ${access.ability}.`,
        details: [{ ability: access.ability }],
      });
    }
    request.principal = principal;
  };
}

function bearerToken(header: string | undefined): string {
  const match = /^Bearer +(\S+) *$/i.exec(header ?? '');
  if (!match?.[1]) throw new AppError('UNAUTHORIZED');
  return match[1];
}

/** The caller's workspace, on a route that needs an account key. */
export function workspaceOf(request: FastifyRequest): string {
  return principalOf(request).workspaceId;
}

export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('This route has no principal: declare an ability on it.');
  return request.principal;
}
