import { randomUUID } from 'node:crypto';
import type { VisitorToken, VisitorTokenCreate } from '@svc/contract/widget-visitor';
import type { EndUserService } from '../../end-users/end-users.service.ts';
import type { WidgetPrincipal } from '../../http/end-user.ts';
import { AppError, invalid } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { createHourlyWarnings } from '../../lib/hourly-warnings.ts';
import type { Log } from '../../lib/log.ts';
import type { RequestLimits } from '../../limits/request-limits.ts';
import { proofOf } from '../identity-secrets.ts';
import type { WidgetService } from '../widgets.service.ts';
import { readUserHash } from './visitor-identity.ts';

export interface VisitorTokenDependencies {
  endUsers: Pick<EndUserService, 'issue' | 'readToken' | 'lastRevoked'>;
  widgets: Pick<WidgetService, 'keySettings' | 'identitySecretOf'>;
  limits: Pick<RequestLimits, 'countNewVisitor'>;
  clock: Clock;
  log: Log;
}

type Widget = Pick<WidgetPrincipal, 'keyId' | 'workspaceId' | 'botId'>;

interface Visitor {
  externalUserId: string;
  /** Identifies the secret with which the site has signed the id; undefined for a visitor without a signed id. */
  proof: string | undefined;
  /** Until when it can be renewed. */
  renewableUntil: Date;
  /** In the renewal token; undefined for a visitor that does not come back with one. */
  lastRevoked?: number;
}

const tokenMilliseconds = 60 * 60 * 1_000;
const dayMilliseconds = 24 * 60 * 60 * 1_000;
/** For a visitor without a signed id: all that identifies them is what their browser keeps. */
const renewalMilliseconds = 90 * dayMilliseconds;
/** For users of the site: after this time it has to vouch for them again. */
const identityMilliseconds = dayMilliseconds;

/** Issues the tokens of visitors: to a new one, to one that comes back, or to one whose id the site has signed. */
export function createVisitorTokens({ endUsers, widgets, limits, clock, log }: VisitorTokenDependencies) {
  const warnHourly = createHourlyWarnings(log);

  async function identify(widget: Widget, address: string, wanted: VisitorTokenCreate): Promise<Visitor> {
    const { user_id: userId, user_hash: userHash, renewal_token: renewalToken } = wanted;
    if (userId !== undefined) return signedIn(widget, userId, userHash);
    if (userHash !== undefined) throw invalid('user_id', 'is required with user_hash');
    if (renewalToken !== undefined) return comingBack(widget, renewalToken);
    const { isOver, limit, resetSeconds } = await limits.countNewVisitor(address, widget.keyId);
    if (isOver) {
      warnHourly(
        widget.keyId,
        { widget_key_id: widget.keyId, new_visitors_per_hour: limit },
        'New visitors of one network are refused. If all of them come through a proxy, set SVC_TRUSTED_PROXIES to its address.',
      );
      throw tooManyVisitors(limit, resetSeconds);
    }
    return {
      externalUserId: `visitor_${randomUUID()}`,
      proof: undefined,
      renewableUntil: after(renewalMilliseconds),
    };
  }

  async function signedIn(widget: Widget, userId: string, userHash: string | undefined): Promise<Visitor> {
    const secret = await widgets.identitySecretOf(widget.workspaceId, widget.keyId);
    if (secret === null) {
      throw invalid(
        'user_id',
        'cannot be verified, because this widget key has no identity secret: create one with POST /api/v1/widgets/keys/{id}/identity-secret',
      );
    }
    const found = readUserHash(userId, userHash ?? '', secret);
    if (!found)
      throw refusedHash("must be the HMAC-SHA256 of user_id with the widget key's identity secret, in hex");
    if (found.expiresAt && found.expiresAt <= clock.now()) {
      const expiredAt = found.expiresAt.toISOString();
      throw refusedHash(`expired at ${expiredAt}: the site has to sign the id again`, {
        expired_at: expiredAt,
      });
    }
    return { externalUserId: userId, proof: proofOf(secret), renewableUntil: after(identityMilliseconds) };
  }

  async function comingBack({ keyId, workspaceId, botId }: Widget, renewalToken: string): Promise<Visitor> {
    const claims = endUsers.readToken(renewalToken, 'renewal');
    if (claims?.workspaceId !== workspaceId || claims.botId !== botId) throw unknownRenewal();
    const { externalUserId, proof, lastRevoked, expiresAt } = claims;
    if (proof === undefined)
      return { externalUserId, proof, lastRevoked, renewableUntil: after(renewalMilliseconds) };
    // A secret that was replaced may have been stolen, so what was signed with it proves nothing any more.
    const secret = await widgets.identitySecretOf(workspaceId, keyId);
    if (secret === null || proofOf(secret) !== proof) throw unknownRenewal();
    // Earlier releases let these be renewed for 90 days. Twice the time, because nodes have clocks of their own.
    if (expiresAt > after(2 * identityMilliseconds)) throw unknownRenewal();
    return { externalUserId, proof, lastRevoked, renewableUntil: expiresAt };
  }

  const after = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds);

  return async (widget: Widget, address: string, wanted: VisitorTokenCreate): Promise<VisitorToken> => {
    const visitor = await identify(widget, address, wanted);
    const { visitorMessagesPerHour, visitorUsdPerDay } = await widgets.keySettings(
      widget.workspaceId,
      widget.keyId,
    );
    const person = { workspaceId: widget.workspaceId, externalUserId: visitor.externalUserId };
    const lastRevoked = await endUsers.lastRevoked(person);
    if (visitor.lastRevoked !== undefined && visitor.lastRevoked < lastRevoked) throw unknownRenewal();
    const claims = {
      ...person,
      lastRevoked,
      botId: widget.botId,
      channel: 'widget' as const,
      issuerId: widget.keyId,
      caps: { messagesPerHour: visitorMessagesPerHour, usdPerDay: visitorUsdPerDay },
      proof: visitor.proof,
    };
    const { renewableUntil } = visitor;
    const renewal = { ...claims, expiresAt: renewableUntil };
    const end = after(tokenMilliseconds);
    return {
      ...endUsers.issue({ ...claims, expiresAt: end < renewableUntil ? end : renewableUntil }),
      renewal_token: endUsers.issue(renewal, 'renewal').token,
      visitor_id: visitor.externalUserId,
    };
  };
}

function unknownRenewal(): AppError {
  return new AppError('UNAUTHORIZED', {
    message:
      'This renewal token is unknown, expired or revoked, or belongs to another bot: request a token without it, with user_id and user_hash if the visitor is a user of the site.',
  });
}

function refusedHash(problem: string, details: object = {}): AppError {
  return new AppError('FORBIDDEN', {
    message: `user_hash ${problem}.`,
    details: [{ path: 'user_hash', message: problem, ...details }],
  });
}

function tooManyVisitors(limit: number, seconds: number): AppError {
  return new AppError('RATE_LIMITED', {
    message: `More than ${limit} new visitors within an hour from this network: wait ${seconds} seconds.`,
    details: [{ limit: 'new_visitors_per_hour', value: limit }],
    retryAfterSeconds: seconds,
  });
}
