import { hasRole, type Role } from '@svc/contract/roles';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { type EndUserCheck, findMemberPrincipal, principalOf } from './access.ts';
import type { EndUserPrincipal, RevocablePerson, WidgetDoor } from './end-user.ts';
import type { MemberCheck } from './member.ts';
import type { MemberPrincipal } from './member-principal.ts';
import { entranceOf } from './widget-entrance.ts';

/**
 * Ends a stream or a socket when what opened it does not work any more: a key that is revoked or has expired, a token that was
 * revoked, or a session that has ended or whose member lost the role. `person` is whose stream it is, if the request has no token.
 * Returns a function that stops watching.
 */
export type WatchKey = (
  request: FastifyRequest,
  end: () => void,
  person?: RevocablePerson | null,
) => () => void;

/** A notification that a widget key, a member or an end user has changed can be lost. */
const checkEveryMilliseconds = 30_000;

export interface WatchKeyDependencies {
  keys: { onForgotten(keyId: string, callback: () => void): () => void };
  widgetDoor: WidgetDoor;
  endUsers: Pick<EndUserCheck, 'requireCurrent' | 'requireVouched' | 'onRevoked'>;
  members: Pick<MemberCheck, 'enterAgain' | 'onChanged'>;
  clock: Clock;
}

/** A token ends with the key that issued it, when it expires, or when its person is revoked. */
export function createWatchKey(dependencies: WatchKeyDependencies): WatchKey {
  const { keys, widgetDoor, endUsers, members, clock } = dependencies;
  return (request, end, person = request.endUser) => {
    const unwatch = watchCaller(request, end);
    if (!person) return unwatch;
    const unwatchPerson = watch(
      () => endUsers.requireCurrent(person),
      (callback) => endUsers.onRevoked(person, callback),
      end,
    );
    return () => {
      unwatch();
      unwatchPerson();
    };
  };

  function watchCaller(request: FastifyRequest, end: () => void): () => void {
    const { endUser, widget } = request;
    const member = findMemberPrincipal(request);
    if (member) return watchMember(member, roleNeeded(request), end);
    if (!endUser && widget) return watchDoor(request, widget.keyId, end);
    if (!endUser) return keys.onForgotten(principalOf(request).keyId, end);
    const timer = setTimeout(end, millisecondsLeft(endUser)).unref();
    const unwatch = widget
      ? watchDoor(request, endUser.issuerId, end)
      : keys.onForgotten(endUser.issuerId, end);
    return () => {
      clearTimeout(timer);
      unwatch();
    };
  }

  function millisecondsLeft({ expiresAt }: EndUserPrincipal): number {
    return expiresAt.getTime() - clock.now().getTime();
  }

  function watchDoor(request: FastifyRequest, keyId: string, end: () => void): () => void {
    const entrance = entranceOf(request);
    return watch(
      async () => {
        const widget = await widgetDoor.enter(entrance);
        if (request.endUser) endUsers.requireVouched(request.endUser, widget);
      },
      (callback) => widgetDoor.onChanged(keyId, callback),
      end,
    );
  }

  function watchMember(principal: MemberPrincipal, needed: Role, end: () => void): () => void {
    const check = async () => {
      const { member } = await members.enterAgain(principal);
      if (!hasRole(member.role, needed)) throw new AppError('FORBIDDEN');
    };
    return watch(check, (callback) => members.onChanged(principal.member.id, callback), end);
  }
}

/** Ends when the check fails: immediately, after a change, or later. */
function watch(
  enter: () => Promise<unknown>,
  onChanged: (callback: () => void) => () => void,
  end: () => void,
): () => void {
  const check = async () => {
    try {
      await enter();
    } catch (error) {
      // Other failures say nothing about the caller.
      if (error instanceof AppError) end();
    }
  };
  const unwatch = onChanged(() => void check());
  const timer = setInterval(() => void check(), checkEveryMilliseconds).unref();
  // The caller may have changed since the request was let in.
  void check();
  return () => {
    clearInterval(timer);
    unwatch();
  };
}

function roleNeeded({ routeOptions }: FastifyRequest): Role {
  const { access } = routeOptions.config;
  return (access && 'role' in access && access.role) || 'viewer';
}
