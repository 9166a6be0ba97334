import { createHash } from 'node:crypto';
import type { Ability } from '@svc/contract/abilities';
import type { Role } from '@svc/contract/roles';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyService, Principal } from '../keys/keys.service.ts';
import { AppError } from '../lib/app-error.ts';
import {
  type Caller,
  type RequestLimits,
  type RequestRate,
  tooManyRequests,
} from '../limits/request-limits.ts';
import { endUserTokenPrefix } from '../secrets/bearer-key.ts';
import { type Access, type EndUserCheck, type KeyCheck, type MachinePrincipal, widgetOf } from './access.ts';
import type { EndUserPrincipal, WidgetDoor } from './end-user.ts';
import type { KnownMethods } from './known-paths.ts';
import { type MemberCheck, requireOwnPage, requireRole, setCookies, wantedWorkspace } from './member.ts';
import type { Person } from './member-principal.ts';
import { createTokenCheck } from './token-check.ts';
import { createWidgetKeyCheck, widgetKeyOf } from './widget-entrance.ts';

export type Authenticator = ReturnType<typeof createAuthenticator>;

export interface AccessDependencies {
  keys: Pick<KeyService, 'authenticate' | 'hasWorked'>;
  machineKeys: KeyCheck<MachinePrincipal>;
  endUsers: EndUserCheck;
  widgetDoor: WidgetDoor;
  members: MemberCheck;
  publicUrl: string;
  /** Exact origins, such as `https://app.example.com`, whose pages may send requests with an end-user token. */
  corsOrigins: ReadonlySet<string>;
  /** Lets a program read the metrics; without one there is no such operation. */
  metricsToken?: string | undefined;
  limits: RequestLimits;
}

/** A request that arrives within this time is authenticated once. */
const soonMs = 1_000;

export function createAuthenticator(dependencies: AccessDependencies) {
  const widgetKeyCheck = createWidgetKeyCheck(dependencies.widgetDoor);
  const first = createEntrance({ ...dependencies, widgetKeyCheck });
  const again = createEntrance({ ...dependencies, widgetKeyCheck, limits: alreadyCounted });
  return {
    ...first,
    /**
     * Runs when the body has been read. If that took long, the key may have been revoked meanwhile, or a member demoted, so the caller
     * is determined again, without counting the request twice.
     */
    async authenticateAgain(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      if (reply.elapsedTime > soonMs) await again.authenticate(request, reply);
    },
  };
}

const alreadyCounted: CallerLimits = { admit: () => undefined, countStranger: () => undefined };

type CallerLimits = Pick<RequestLimits, 'admit' | 'countStranger'>;

interface EntranceDependencies extends Omit<AccessDependencies, 'limits' | 'widgetDoor'> {
  widgetKeyCheck: ReturnType<typeof createWidgetKeyCheck>;
  limits: CallerLimits;
}

function createEntrance(dependencies: EntranceDependencies) {
  const { keys, machineKeys, endUsers, widgetKeyCheck, members, publicUrl, corsOrigins, limits } =
    dependencies;
  const metricsCheck = createTokenCheck(dependencies.metricsToken);

  return {
    /** Runs before the body is read, so that requests without a valid key or above the limit cost little. */
    async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const { access } = request.routeOptions.config;
      if (!access) return;
      switch (access.scheme) {
        case 'account_key': {
          const token = bearerToken(request);
          if (token?.startsWith(endUserTokenPrefix)) return enterAsEndUser(request, reply, access, token);
          if (request.headers.authorization === undefined && members.hasCookie(request.headers))
            return enterInsteadOfKey(request, reply, access.role);
          const principal = await identify(request, reply, token, keys);
          const counting = admit(reply, principal);
          if (counting) await counting;
          requireAbility(principal, access.ability);
          request.principal = principal;
          return;
        }
        case 'machine_key': {
          const machine = await identify(request, reply, bearerToken(request), machineKeys);
          await admit(reply, { ...machine, keyId: machine.machineId });
          request.machine = machine;
          return;
        }
        case 'widget_key':
          return enterWithWidgetKey(request, reply);
        case 'visitor_token':
          await enterWithWidgetKey(request, reply);
          return enterAsVisitor(request, reply);
        case 'session':
          if (access.role !== null) return enterAsMember(request, reply, access.role);
          await enterAsPerson(request, reply);
          return;
        case 'own_page':
          requireOwnPage(request, publicUrl);
          return;
        case 'metrics_token':
          await identify(request, reply, bearerToken(request), metricsCheck);
          return;
        case 'none':
      }
    },

    /**
     * Sets the headers with which browsers let a page send the request that it announces. Throws for a page that may not use its
     * widget key.
     */
    async preflight(request: FastifyRequest, reply: FastifyReply, methods: KnownMethods): Promise<void> {
      const { origin, 'access-control-request-method': method } = request.headers;
      const access = method === undefined ? undefined : methods.get(method);
      if (origin === undefined || method === undefined || !access) return;
      if (access.scheme === 'account_key') {
        if (access.endUsers && corsOrigins.has(origin)) allowRequest(reply, origin, method);
        return;
      }
      if (access.scheme !== 'widget_key' && access.scheme !== 'visitor_token') return;
      let isAllowed = false;
      const check = widgetKeyCheck(request, () => {
        isAllowed = true;
        allowRequest(reply, origin, method);
      });
      try {
        await identify(request, reply, widgetKeyOf(request), check);
      } catch (error) {
        // What is wrong is the answer to the request itself, which the page may read.
        if (!isAllowed) throw error;
      }
    },
  };

  async function enterAsEndUser(
    request: FastifyRequest,
    reply: FastifyReply,
    { endUsers: isForThem }: Extract<Access, { scheme: 'account_key' }>,
    token: string,
  ): Promise<void> {
    const { origin } = request.headers;
    if (isForThem) reply.header('vary', 'Origin');
    if (isForThem && origin !== undefined && corsOrigins.has(origin)) allowOrigin(reply, origin);
    const endUser = await identify(request, reply, token, endUsers);
    await admit(reply, callerFor(endUser));
    if (!isForThem) {
      throw new AppError('FORBIDDEN', {
        message: 'An end-user token may only send messages and read or stop its own conversations.',
      });
    }
    request.endUser = endUser;
    // The schema of the route describes what account keys get.
    reply.type('application/json; charset=utf-8').serializer(JSON.stringify);
  }

  async function enterAsPerson(request: FastifyRequest, reply: FastifyReply): Promise<Person> {
    requireOwnPage(request, publicUrl);
    const person = await findPerson(request, reply);
    setCookies(reply, person.cookies);
    request.person = person;
    return person;
  }

  /** Cookies that do not work are counted like wrong keys. */
  async function findPerson(request: FastifyRequest, reply: FastifyReply): Promise<Person> {
    try {
      return await members.requirePerson(request.headers);
    } catch (error) {
      const isStranger = error instanceof AppError && error.code === 'UNAUTHORIZED';
      const rate = isStranger ? await limits.countStranger(addressOf(request)) : undefined;
      if (rate) setRateHeaders(reply, rate);
      throw error;
    }
  }

  async function enterInsteadOfKey(
    request: FastifyRequest,
    reply: FastifyReply,
    role: Role | null,
  ): Promise<void> {
    if (role !== null) return enterAsMember(request, reply, role);
    await enterAsPerson(request, reply);
    throw new AppError('FORBIDDEN', { message: 'This needs an account key.' });
  }

  async function enterAsMember(request: FastifyRequest, reply: FastifyReply, role: Role): Promise<void> {
    const person = await enterAsPerson(request, reply);
    const principal = await members.enter(person, wantedWorkspace(request));
    await admit(reply, principal);
    requireRole(principal.member.role, role);
    request.principal = principal;
  }

  async function enterWithWidgetKey(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { origin } = request.headers;
    reply.header('vary', 'Origin');
    const check = widgetKeyCheck(request, () => {
      if (origin !== undefined) allowOrigin(reply, origin);
    });
    request.widget = await identify(request, reply, widgetKeyOf(request), check);
  }

  async function enterAsVisitor(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const widget = widgetOf(request);
    const visitor = await identify(request, reply, bearerToken(request), {
      authenticate: (token) => endUsers.authenticateVisitor(token, widget),
      // Tokens that were not issued here are refused without a query, so there is nothing to protect before that.
      hasWorked: () => true,
    });
    await admit(reply, callerFor(visitor));
    request.endUser = visitor;
  }

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
    token: string | undefined,
    check: KeyCheck<Found>,
  ): Promise<Found> {
    const isKnown = token !== undefined && check.hasWorked(token);
    const before = isKnown ? undefined : await limits.countStranger(addressOf(request));
    if (before?.isOver) setRateHeaders(reply, before);
    try {
      if (token === undefined) throw new AppError('UNAUTHORIZED');
      const found = await check.authenticate(token);
      if (before) await before.takeBack();
      return found;
    } catch (error) {
      const isStranger = error instanceof AppError && error.code === 'UNAUTHORIZED';
      // An unreachable database says nothing about the key.
      if (before && !isStranger) await before.takeBack();
      const rate = isStranger ? (before ?? (await limits.countStranger(addressOf(request)))) : undefined;
      if (rate) setRateHeaders(reply, rate);
      throw error;
    }
  }
}

/** What scripts of a page may read of an answer, beyond what browsers always show them. */
const exposedHeaders =
  'X-Request-Id, Retry-After, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';
const allowedHeaders = 'authorization, content-type, idempotency-key, last-event-id';
const preflightSeconds = 600;

/** Lets scripts of this origin read the answer. Cookies play no part, so credentials are never allowed. */
function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposedHeaders,
    vary: 'Origin',
  });
}

/** Lets pages of this origin send the request that a preflight asks about. */
function allowRequest(reply: FastifyReply, origin: string, method: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': method,
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': preflightSeconds,
    vary: 'Origin',
  });
}

function requireAbility({ abilities }: Principal, ability: Ability): void {
  if (abilities.has(ability)) return;
  throw new AppError('FORBIDDEN', {
    message: `This key lacks the ability ${ability}.`,
    details: [{ ability }],
  });
}

/**
 * End users are counted one by one, and those of each key apart from everyone else: visitors of a public page must not use up what
 * the account keys of the workspace may send.
 */
function callerFor({ workspaceId, externalUserId, issuerId, limits }: EndUserPrincipal): Caller {
  const hash = createHash('sha256').update(externalUserId).digest('base64url');
  // Named after the issuer too: rows of counts are locked in the order of pools, so no two pools may share one.
  return { keyId: `${issuerId} ${hash}`, workspaceId, pool: issuerId, limits };
}

/** Sets the three RateLimit headers that most clients know; see docs/money-and-limits.md. Throws when the limit is exceeded. */
function setRateHeaders(reply: FastifyReply, rate: RequestRate): void {
  reply.headers({
    'ratelimit-limit': rate.limit,
    'ratelimit-remaining': rate.remaining,
    'ratelimit-reset': rate.resetSeconds,
  });
  if (rate.isOver) throw tooManyRequests(rate);
}

/** The address of the connection, or what a trusted proxy says it is: others can forge forwarding headers. */
function addressOf({ ip }: FastifyRequest): string {
  return ip ?? '';
}

function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}
