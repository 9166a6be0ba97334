import type { WidgetDoor } from '../http/end-user.ts';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { looksLikeKey } from '../secrets/bearer-key.ts';
import { isAllowed, readOrigin } from './domains.ts';
import type { FoundWidgetKey } from './widgets.store.ts';

type PageRequest = Parameters<WidgetDoor['enter']>[0];

export interface DoorDependencies {
  /** Undefined for a key that does not exist. */
  byKey(key: string): Promise<FoundWidgetKey | undefined>;
  noteUse(found: FoundWidgetKey, host: string): void;
  /** See `WidgetPrincipal.identityProof`. */
  proofOf(key: FoundWidgetKey['key']): string | null;
  onChanged: WidgetDoor['onChanged'];
  /** The service's own address. */
  publicUrl: string;
  clock: Clock;
}

/** Which pages may use which keys. */
export function createDoor(dependencies: DoorDependencies): WidgetDoor {
  const { byKey, noteUse, proofOf, onChanged, publicUrl, clock } = dependencies;
  const ownOrigin = new URL(publicUrl).origin;

  return {
    async enter(request) {
      const found = looksLikeKey('svc_', request.key) ? await byKey(request.key) : undefined;
      if (!found || !works(found.key, clock.now()))
        throw new AppError('UNAUTHORIZED', { message: 'This widget key is unknown, revoked or expired.' });
      const host = hostOf(request, found.key.allowedDomains);
      if (!found.bot.isActive) throw new AppError('BOT_INACTIVE');
      noteUse(found, host);
      const { id: keyId, workspaceId, botId } = found.key;
      const identityProof = () => proofOf(found.key);
      return { keyId, workspaceId, botId, host, identityProof, limits: found.limits };
    },

    onChanged,
  };

  /** The host of a page that may use the key; throws for any other page. */
  function hostOf({ origin, isSameOrigin }: PageRequest, domains: readonly string[]): string {
    const isOwn = isSameOrigin || origin === ownOrigin;
    const page = readOrigin(origin ?? (isSameOrigin ? ownOrigin : 'null'));
    if (!page) throw forbidden('Only web pages with an origin may use a widget key.');
    if (domains.length === 0 && !isOwn)
      throw forbidden(
        "This widget key works on the service's own pages only: its allowed_domains are empty.",
      );
    if (domains.length > 0 && !isAllowed(domains, page))
      throw forbidden(
        `Pages of ${page.hostAndPort} may not use this widget key: add the host to its allowed_domains.`,
      );
    return page.hostAndPort;
  }
}

export function works({ revokedAt, expiresAt }: FoundWidgetKey['key'], now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

function forbidden(message: string): AppError {
  return new AppError('FORBIDDEN', { message });
}
