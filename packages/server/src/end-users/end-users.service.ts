import type { Channel } from '@svc/contract/channels';
import type { EndUserToken, EndUserTokenCreate } from '@svc/contract/end-users';
import { recordChange } from '../audit/audit.service.ts';
import type { BotService } from '../bots/bots.service.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { EndUserPrincipal, RevocablePerson, WidgetPrincipal } from '../http/end-user.ts';
import type { KeyService, Principal } from '../keys/keys.service.ts';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { endUserRevokedChannel } from './end-users.store.ts';
import { createRevocations, type PersonId } from './revocations.ts';
import { createEndUserTokens, type EndUserClaims } from './tokens.ts';

export type { EndUserClaims, TokenKind } from './tokens.ts';

export interface EndUserDependencies {
  database: Database;
  box: SecretBox;
  keys: Pick<KeyService, 'findIssuer' | 'hasIssued'>;
  bots: Pick<BotService, 'getRow'>;
  clock: Clock;
}

export type EndUserService = ReturnType<typeof createEndUserService>;

/** Of the conversations that tokens of account keys open. */
const apiChannel: Channel = 'chat';
/** What an account key must be able to do as long as its tokens are used. */
const issuingAbility = 'chat:write';

/** The tokens with which people talk to bots from pages, without an account key. */
export function createEndUserService({ database, box, keys, bots, clock }: EndUserDependencies) {
  const tokens = createEndUserTokens({ box, clock });
  const revocations = createRevocations({ database, clock });

  async function requireCurrent(claims: RevocablePerson): Promise<void> {
    if ((await revocations.lastOf(claims)) > claims.lastRevoked) throw new AppError('UNAUTHORIZED');
  }

  /** One who signed in must have done so with the site's secret of today: one that was replaced may have been stolen. */
  function requireVouched(
    { proof }: Pick<EndUserPrincipal, 'proof'>,
    widget: Pick<WidgetPrincipal, 'identityProof'>,
  ): void {
    if (proof !== undefined && proof !== widget.identityProof()) throw new AppError('UNAUTHORIZED');
  }

  return {
    issue: tokens.issue,
    readToken: tokens.read,
    requireCurrent,
    requireVouched,
    onRevoked: revocations.onRevoked,

    /** When the person's tokens were last revoked, for those that are issued next; see `EndUserPrincipal`. */
    lastRevoked: (person: PersonId): Promise<number> =>
      revocations.read(database.within(person.workspaceId), person),

    /** Throws UNAUTHORIZED unless the claims are current, and stay so until the transaction ends. */
    async requireCurrentIn(tx: Transaction, claims: RevocablePerson): Promise<void> {
      if ((await revocations.readLocked(tx, claims)) > claims.lastRevoked) throw new AppError('UNAUTHORIZED');
    },

    /** Ends every token and renewal of the person, and what they have opened, on every node. The audit log does not name the person. */
    async revoke(workspaceId: string, externalUserId: string): Promise<void> {
      const person = { workspaceId, externalUserId };
      await database.within(workspaceId).transaction(async (tx) => {
        await revocations.revoke(tx, person);
        await recordChange(tx, workspaceId, { action: 'end_user.revoked', object: { id: null } });
      });
      revocations.forget(person);
    },

    notifications: { [endUserRevokedChannel]: revocations.hear },
    setListening: revocations.setListening,
    sweep: revocations.sweep,

    /** Issues a token on behalf of an account key. */
    async createToken(
      { workspaceId, keyId, expiresAt }: Principal,
      wanted: EndUserTokenCreate,
    ): Promise<EndUserToken> {
      const bot = wanted.bot_id === undefined ? null : await bots.getRow(workspaceId, wanted.bot_id);
      const wantedEnd = new Date(clock.now().getTime() + wanted.expires_in * 1000);
      const person = { workspaceId, externalUserId: wanted.external_user_id };
      return tokens.issue({
        ...person,
        botId: bot?.id ?? null,
        channel: apiChannel,
        issuerId: keyId,
        // It ends with its key at the latest.
        expiresAt: expiresAt && expiresAt < wantedEnd ? expiresAt : wantedEnd,
        caps: {
          messagesPerHour: wanted.max_messages_per_hour ?? null,
          usdPerDay: wanted.max_usd_per_day ?? null,
        },
        lastRevoked: await revocations.read(database.within(person.workspaceId), person),
      });
    },

    /** The person of a token that an account key issued; throws the same UNAUTHORIZED whatever is wrong with it. */
    async authenticate(token: string): Promise<EndUserPrincipal> {
      const claims = readApiToken(token);
      if (!claims) throw new AppError('UNAUTHORIZED');
      const issuer = await keys.findIssuer(claims.workspaceId, claims.issuerId);
      if (!issuer?.abilities.has(issuingAbility)) throw new AppError('UNAUTHORIZED');
      await requireCurrent(claims);
      return { ...claims, limits: issuer.limits };
    },

    /** Callers that guess tokens have none that this node could open, of a key that it has found to be valid. */
    hasWorked(token: string): boolean {
      const claims = readApiToken(token);
      return claims !== undefined && keys.hasIssued(claims.issuerId);
    },

    /** The visitor of a token that this widget key issued; throws the same UNAUTHORIZED whatever is wrong with it. */
    async authenticateVisitor(token: string, widget: WidgetPrincipal): Promise<EndUserPrincipal> {
      const claims = tokens.read(token);
      if (claims?.issuerId !== widget.keyId || claims.workspaceId !== widget.workspaceId) {
        throw new AppError('UNAUTHORIZED');
      }
      requireVouched(claims, widget);
      await requireCurrent(claims);
      return { ...claims, limits: widget.limits };
    },
  };

  /** Visitors of widgets have tokens that open the widget's own paths only. */
  function readApiToken(token: string): EndUserClaims | undefined {
    const claims = tokens.read(token);
    return claims?.channel === apiChannel ? claims : undefined;
  }
}
