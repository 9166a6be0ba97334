import { WebhookSecret } from '@svc/contract/bots';
import { IdParams } from '@svc/contract/common';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operation } from '../../http/operation.ts';
import type { BotService } from '../bots.service.ts';

export interface BotWebhookRouteDependencies {
  bots: Pick<BotService, 'getRow'>;
  /** What a bot's webhooks are signed with. */
  secretOf(botId: string): string;
}

export function botWebhookRoutes(app: HttpApp, { bots, secretOf }: BotWebhookRouteDependencies): void {
  app.get(
    '/api/v1/bots/:id/webhook-secret',
    operation({
      ability: 'workspace:write',
      tag: 'Bots',
      id: 'getWebhookSecret',
      summary: "Read the secret that a bot's webhooks are signed with",
      description:
        'The header `svc-signature: t=<unix time>,v1=<hex>` holds the HMAC-SHA256 of `<t>.<body>` under it. A new encryption key of the installation changes it.',
      schema: { params: IdParams, response: { 200: WebhookSecret } },
    }),
    async (request) => {
      const { id } = await bots.getRow(workspaceOf(request), request.params.id);
      return { bot_id: id, webhook_secret: secretOf(id) };
    },
  );
}
