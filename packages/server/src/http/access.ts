import type { Ability } from '@svc/contract/abilities';
import type { ErrorCode } from '@svc/contract/errors';
import type { Role } from '@svc/contract/roles';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../keys/keys.service.ts';
import type { Actor } from '../lib/actor.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';
import type { EndUserPrincipal, RevocablePerson, WidgetPrincipal } from './end-user.ts';
import type { MemberPrincipal, Person } from './member-principal.ts';

/** Who may call an operation, and by which kind of key. A route without one does not start. */
export type Access =
  | {
      scheme: 'account_key';
      ability: Ability;
      /** End users may call it too, with a token that an account key issued. */
      endUsers: boolean;
      /** The least role of the members of a workspace who may call it, signed in to the console; null for no member. */
      role: Role | null;
    }
  /** A person who is signed in to the console: a member of a workspace with at least this role; null for any person. */
  | { scheme: 'session'; role: Role | null }
  | { scheme: 'machine_key' }
  /** A page that may use the widget key in the query. */
  | { scheme: 'widget_key' }
  /** The same, and a token that the key issued. */
  | { scheme: 'visitor_token' }
  /** Anybody, on a page of the service itself: the ways to get a session. */
  | { scheme: 'own_page' }
  /** The token in the configuration that lets a program read the metrics. */
  | { scheme: 'metrics_token' }
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

/** The tokens of end users. */
export interface EndUserCheck extends KeyCheck<EndUserPrincipal> {
  /** Throws UNAUTHORIZED unless the token was issued by this widget key. */
  authenticateVisitor(token: string, widget: WidgetPrincipal): Promise<EndUserPrincipal>;
  /** Throws UNAUTHORIZED if the person's tokens were revoked after theirs was issued. */
  requireCurrent(person: RevocablePerson): Promise<void>;
  /** Throws UNAUTHORIZED if the site's secret is no longer the one with which the person's id was signed. */
  requireVouched(person: Pick<EndUserPrincipal, 'proof'>, widget: WidgetPrincipal): void;
  /** Calls back when the person's tokens may have been revoked, until the returned function is called. */
  onRevoked(person: RevocablePerson, callback: () => void): () => void;
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
    /** The caller, if it is a person with an end-user token. */
    endUser: EndUserPrincipal | null;
    /** The widget key of the page, on the routes of widgets. */
    widget: WidgetPrincipal | null;
    /** The person who is signed in, if a session was used. */
    person: Person | null;
  }
}

/** What a request says about its caller until it is authenticated. */
export const unknownCaller = {
  principal: null,
  machine: null,
  endUser: null,
  widget: null,
  person: null,
} satisfies Partial<FastifyRequest>;

interface Caller {
  workspaceId: string;
  limits: StoredLimits;
}

/** The caller of an operation of a workspace, by whatever key; null before it is authenticated. */
export function findCaller({ principal, endUser, widget }: FastifyRequest): Caller | null {
  return principal ?? endUser ?? widget;
}

/** The same, on a route that needs a key of a workspace. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = findCaller(request);
  if (!caller) throw new Error('This route has no caller: declare on it who may call it.');
  return caller;
}

/** The caller's workspace, on a route that needs a key of one. */
export function workspaceOf(request: FastifyRequest): string {
  return callerOf(request).workspaceId;
}

export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('This route has no principal: declare an ability on it.');
  return request.principal;
}

export function machineOf(request: FastifyRequest): MachinePrincipal {
  if (!request.machine) throw new Error('This route has no machine: declare that it needs a machine key.');
  return request.machine;
}

export function endUserOf(request: FastifyRequest): EndUserPrincipal {
  if (!request.endUser) throw new Error('This route has no end user: declare that it needs a visitor token.');
  return request.endUser;
}

export function widgetOf(request: FastifyRequest): WidgetPrincipal {
  if (!request.widget) throw new Error('This route has no widget: declare that it needs a widget key.');
  return request.widget;
}

export function personOf(request: FastifyRequest): Person {
  if (!request.person) throw new Error('This route has no person: declare that it needs a session.');
  return request.person;
}

/** The member who calls, if it is one and not a key. */
export function findMember(request: FastifyRequest): MemberPrincipal['member'] | undefined {
  return findMemberPrincipal(request)?.member;
}

export function findMemberPrincipal({ principal }: FastifyRequest): MemberPrincipal | undefined {
  return principal && 'member' in principal ? (principal as MemberPrincipal) : undefined;
}

/** The caller, on a route that needs a session of a member. */
export function memberOf(request: FastifyRequest): MemberPrincipal {
  const principal = findMemberPrincipal(request);
  if (!principal) throw new Error('This route has no member: declare that it needs a session.');
  return principal;
}

/** On whose behalf the request acts, for the audit log. End users and machines change nothing that it records. */
export function actorOf({ principal, person }: FastifyRequest): Actor {
  if (person) return { type: 'member', id: person.userId, name: person.name };
  return principal
    ? { type: 'key', id: principal.keyId, name: null }
    : { type: 'service', id: null, name: null };
}
