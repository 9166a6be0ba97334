import type { Feature, Services } from '../services.ts';
import { createRunService } from './runs.service.ts';
import { runWebhookQueue } from './webhook/run-webhook.queue.ts';
import { createRunWebhookSender } from './webhook/run-webhook-sender.ts';

/** The runs of agents, and the webhooks that report their ends. */
export function openRuns(
  services: Pick<Services, 'database' | 'jobs' | 'sendWebhook'>,
): Feature<Pick<Services, 'runs'>> {
  const runs = createRunService(services);
  services.jobs.define(runWebhookQueue, createRunWebhookSender({ ...services, runs }));
  return { services: { runs } };
}
