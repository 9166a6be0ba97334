import type { Feature, Ground, Services } from '../services.ts';
import { createMessageCaps } from './caps.ts';
import { endUserRoutes } from './end-users.routes.ts';
import { createEndUserService } from './end-users.service.ts';
import { endUserErasureRoutes } from './erasure/end-user-erasure.routes.ts';
import { createEndUserErasure } from './erasure/end-user-erasure.service.ts';
import { endUserExportRoutes } from './export/end-user-export.routes.ts';
import { createEndUserExport } from './export/end-user-export.service.ts';

/** People who talk to bots from pages, with what they may send and how they are erased. */
export function openEndUsers(
  services: Ground &
    Pick<
      Services,
      'attachments' | 'billing' | 'bots' | 'erasure' | 'keys' | 'messageCounter' | 'publicUrl' | 'turns'
    >,
): Feature<Pick<Services, 'caps' | 'endUserErasure' | 'endUserExport' | 'endUsers'>> {
  const endUsers = createEndUserService(services);
  return {
    services: {
      endUsers,
      endUserErasure: createEndUserErasure({ ...services, endUsers }),
      endUserExport: createEndUserExport(services),
      caps: createMessageCaps({ ...services, counter: services.messageCounter }),
    },
    routes: [endUserRoutes, endUserErasureRoutes, endUserExportRoutes],
    notifications: endUsers.notifications,
    setListening: endUsers.setListening,
    rounds: [{ name: 'old revocations', everyMilliseconds: 3_600_000, work: endUsers.sweep }],
  };
}
