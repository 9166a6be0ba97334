import type { Feature, Services } from '../services.ts';
import { limitsChannel } from '../workspaces/workspaces.service.ts';
import { createKeyCache } from './key-cache.ts';
import { keyRoutes } from './keys.routes.ts';
import { createKeyService, revokedChannel } from './keys.service.ts';

/** Account keys. What was looked up is remembered as long as the database says when a key is revoked. */
export function openKeys(
  services: Pick<Services, 'clock' | 'database' | 'log' | 'meters'>,
): Feature<Pick<Services, 'keyCache' | 'keys'>> {
  const keyCache = createKeyCache((isHit) =>
    services.meters.cacheLookups.add(1, 'account_keys', isHit ? 'hit' : 'miss'),
  );
  const keys = createKeyService({ ...services, cache: keyCache });
  return {
    services: { keys, keyCache },
    routes: [keyRoutes],
    notifications: {
      [revokedChannel]() {
        keyCache.clear();
        // The database says which keys do not work any more: their open streams end.
        keys.forgetDeadKeys().catch((error: unknown) => {
          services.log.warn({ err: error }, 'Streams of a revoked key may stay open until the next round.');
        });
      },
      [limitsChannel]: keyCache.clear,
    },
    setListening: keyCache.setTrusted,
    rounds: [
      { name: 'dead keys', everyMilliseconds: 30_000, work: keys.forgetDeadKeys },
      { name: 'uses of keys', everyMilliseconds: 20_000, work: keys.saveUses },
    ],
  };
}
