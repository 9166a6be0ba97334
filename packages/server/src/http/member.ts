import type { IncomingHttpHeaders } from 'node:http';
import { hasRole, type Role } from '@svc/contract/roles';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalid } from '../lib/app-error.ts';
import type { MemberPrincipal, Person } from './member-principal.ts';

export interface MemberCheck {
  /** Whether the request has a session cookie at all. */
  hasCookie(headers: IncomingHttpHeaders): boolean;
  /** Throws UNAUTHORIZED without a valid session. */
  requirePerson(headers: IncomingHttpHeaders): Promise<Person>;
  /** Throws FORBIDDEN unless the person is a member of the workspace. */
  enter(person: Person, workspaceId: string): Promise<MemberPrincipal>;
  /** Throws UNAUTHORIZED or FORBIDDEN once the session has ended or the person is not a member any more. */
  enterAgain(principal: MemberPrincipal): Promise<MemberPrincipal>;
  /** Calls back when the sessions or roles of a person may have changed, until the returned function is called. */
  onChanged(userId: string, callback: () => void): () => void;
}

const workspaceHeader = 'x-svc-workspace';
const consoleHeader = 'x-svc-console';

/**
 * Throws unless the request was sent by a page of the service itself: browsers add the cookie to requests of other sites, too. Only
 * our own pages can add our headers, because no other origin is allowed to.
 */
export function requireOwnPage({ method, headers, host }: FastifyRequest, publicUrl: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isRead = method === 'GET' || method === 'HEAD';
  const hasOwnHeader = headers[workspaceHeader] !== undefined || headers[consoleHeader] !== undefined;
  const isOwn =
    origin === undefined
      ? isRead
        ? site === undefined || site === 'same-origin' || site === 'none'
        : site === 'same-origin'
      : isOwnOrigin(origin, host, new URL(publicUrl));
  if (isOwn && (isRead || hasOwnHeader)) return;
  throw new AppError('FORBIDDEN', { message: 'Only the console itself can send this request.' });
}

/** The service may be reached by other names than the public one, and a proxy may hide that it is reached by https. */
function isOwnOrigin(origin: string, host: string, own: URL): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  if (page.host === own.host) return own.protocol !== 'https:' || page.protocol === 'https:';
  return page.host === host;
}

/** The workspace that a request of the console is about. Links and sockets cannot send headers, so they name it in the query. */
export function wantedWorkspace({ headers, query }: FastifyRequest): string {
  const given = headers[workspaceHeader] ?? (query as { workspace?: unknown }).workspace;
  if (given === undefined) throw invalid(workspaceHeader, 'is required: the id of a workspace');
  return typeof given === 'string' ? given : '';
}

export function requireRole(role: Role, needed: Role): void {
  if (hasRole(role, needed)) return;
  throw new AppError('FORBIDDEN', {
    message: `This needs the role ${needed}; yours is ${role}.`,
    details: [{ role: needed }],
  });
}

/** Over https browsers send them back over https only, even if the service does not know its public address. */
export function setCookies(reply: FastifyReply, cookies: readonly string[]): void {
  if (cookies.length === 0) return;
  const isSecure = reply.request.protocol === 'https';
  const sent = cookies.map((cookie) =>
    isSecure && !/; Secure/i.test(cookie) ? `${cookie}; Secure` : cookie,
  );
  reply.header('set-cookie', sent);
}
