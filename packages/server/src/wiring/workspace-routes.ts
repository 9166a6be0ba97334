import type { BotService } from '../bots/bots.service.ts';
import { botWebhookRoutes } from '../bots/webhooks/bot-webhooks.routes.ts';
import type { Database } from '../database/database.ts';
import { failedJobRoutes } from '../failed-jobs/failed-jobs.routes.ts';
import { createFailedJobService } from '../failed-jobs/failed-jobs.service.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import type { SendList } from '../http/send-list.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { keyRoutes } from '../keys/keys.routes.ts';
import type { KeyService } from '../keys/keys.service.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { webhookSecret } from '../webhooks/webhook-signature.ts';

export interface WorkspaceRouteDependencies {
  database: Database;
  keys: KeyService;
  jobs: Jobs;
  bots: BotService;
  box: SecretBox;
  publicUrl: string;
  idempotent: Idempotent;
  sendList: SendList;
}

/** What operators do on the server's command line, over the API for one workspace. */
export function workspaceRoutes(http: HttpApp, dependencies: WorkspaceRouteDependencies): void {
  const { database, jobs, box } = dependencies;
  keyRoutes(http, dependencies);
  failedJobRoutes(http, { ...dependencies, failedJobs: createFailedJobService({ database, jobs }) });
  botWebhookRoutes(http, { ...dependencies, secretOf: (botId) => webhookSecret(box, botId) });
}
