import type { Feature, Ground, Services } from '../services.ts';
import { webhookSecret } from '../webhooks/webhook-signature.ts';
import { botRoutes } from './bots.routes.ts';
import { createBotService } from './bots.service.ts';
import { createDraftService, type DraftDependencies } from './drafts/drafts.service.ts';
import { botVersionRoutes } from './versions/bot-versions.routes.ts';
import { type BotVersionDependencies, createBotVersionService } from './versions/bot-versions.service.ts';
import { botWebhookRoutes } from './webhooks/bot-webhooks.routes.ts';

export function openBots(
  services: Ground & Pick<Services, 'planDefaultTools' | 'requireMachines' | 'voices' | 'workspaces'>,
): Feature<Pick<Services, 'bots'>> {
  const { config, guardedLane } = services;
  const canSendMail = config.smtp !== undefined;
  return {
    services: { bots: createBotService({ ...services, webhooks: guardedLane, canSendMail }) },
    routes: [
      botRoutes,
      (http, { bots, box }) =>
        botWebhookRoutes(http, { bots, secretOf: (botId) => webhookSecret(box, botId) }),
    ],
  };
}

/** The versions and drafts of bots include their tools, so they are opened after those. */
export function openBotVersions(
  services: BotVersionDependencies & DraftDependencies,
): Feature<Pick<Services, 'drafts' | 'versions'>> {
  return {
    services: { versions: createBotVersionService(services), drafts: createDraftService(services) },
    routes: [botVersionRoutes],
  };
}
