import { createHash, randomUUID } from 'node:crypto';
import type { VisitorToken, VisitorTokenCreate } from '@svc/contract/widget-visitor';
import { AppError, invalid } from '../../app-error.ts';
import type { Clock } from '../../clock.ts';
import type { EndUserService } from '../../end-users/service.ts';
import { createHourlyWarnings } from '../../hourly-warnings.ts';
import type { WidgetPrincipal } from '../../http/end-user.ts';
import type { RequestLimits } from '../../limits/request-limits.ts';
import type { Log } from '../../log.ts';
import type { WidgetService } from '../service.ts';
import { isHashOf } from './identity.ts';

export interface VisitorTokenDependencies {
  endUsers: Pick<EndUserService, 'issue' | 'readToken'>;
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
}

const tokenMilliseconds = 60 * 60 * 1_000;
const renewalMilliseconds = 90 * 24 * 60 * 60 * 1_000;

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
    return { externalUserId: `visitor_${randomUUID()}`, proof: undefined };
  }

  async function signedIn(widget: Widget, userId: string, userHash: string | undefined): Promise<Visitor> {
    const secret = await widgets.identitySecretOf(widget.workspaceId, widget.keyId);
    if (secret === null) {
      throw invalid(
        'user_id',
        'cannot be verified, because this widget key has no identity secret: create one with POST /api/v1/widgets/keys/{id}/identity-secret',
      );
    }
    if (userHash === undefined || !isHashOf(userId, userHash, secret)) {
      const problem = "must be the HMAC-SHA256 of user_id with the widget key's identity secret, in hex";
      throw new AppError('FORBIDDEN', {
        message: `user_hash ${problem}.`,
        details: [{ path: 'user_hash', message: problem }],
      });
    }
    return { externalUserId: userId, proof: proofOf(secret) };
  }

  async function comingBack({ keyId, workspaceId, botId }: Widget, renewalToken: string): Promise<Visitor> {
    const claims = endUsers.readToken(renewalToken, 'renewal');
    if (claims?.workspaceId !== workspaceId || claims.botId !== botId) throw unknownRenewal();
    const { externalUserId, proof } = claims;
    if (proof !== undefined) {
      // A secret that was replaced may have been stolen, so what was signed with it proves nothing any more.
      const secret = await widgets.identitySecretOf(workspaceId, keyId);
      if (secret === null || proofOf(secret) !== proof) throw unknownRenewal();
    }
    return { externalUserId, proof };
  }

  return async (widget: Widget, address: string, wanted: VisitorTokenCreate): Promise<VisitorToken> => {
    const visitor = await identify(widget, address, wanted);
    const { visitorMessagesPerHour, visitorUsdPerDay } = await widgets.keySettings(
      widget.workspaceId,
      widget.keyId,
    );
    const now = clock.now().getTime();
    const claims = {
      workspaceId: widget.workspaceId,
      externalUserId: visitor.externalUserId,
      botId: widget.botId,
      channel: 'widget' as const,
      issuerId: widget.keyId,
      caps: { messagesPerHour: visitorMessagesPerHour, usdPerDay: visitorUsdPerDay },
    };
    const renewal = { ...claims, proof: visitor.proof, expiresAt: new Date(now + renewalMilliseconds) };
    return {
      ...endUsers.issue({ ...claims, expiresAt: new Date(now + tokenMilliseconds) }),
      renewal_token: endUsers.issue(renewal, 'renewal').token,
      visitor_id: visitor.externalUserId,
    };
  };
}

/** Enough of a hash to notice another secret, and too little to learn it. */
function proofOf(secret: string): string {
  return createHash('sha256').update(`identity ${secret}`).digest('base64url').slice(0, 16);
}

function unknownRenewal(): AppError {
  return new AppError('UNAUTHORIZED', {
    message:
      'This renewal token is unknown or expired, or belongs to another bot: request a token without it.',
  });
}

function tooManyVisitors(limit: number, seconds: number): AppError {
  return new AppError('RATE_LIMITED', {
    message: `More than ${limit} new visitors within an hour from this network: wait ${seconds} seconds.`,
    details: [{ limit: 'new_visitors_per_hour', value: limit }],
    retryAfterSeconds: seconds,
  });
}
