import type { Transport } from '../bus/bus-transport.ts';
import type { Config } from '../config/config.ts';
import type { SmtpConfig } from '../config/smtp-config.ts';
import type { RefusalReason } from '../egress/egress-error.ts';
import { createGuardedLane } from '../egress/guarded-lane.ts';
import { createMailer } from '../egress/mailer.ts';
import { createTrustedLane } from '../egress/trusted-lane.ts';
import { createConversationFeed } from '../events/conversation-feed.ts';
import { createNoteChange } from '../events/workspace-changes.ts';
import type { FrontDoor } from '../http/front-door.ts';
import { createIdempotencyService } from '../idempotency/idempotency.service.ts';
import { createJobs } from '../jobs/jobs.ts';
import { createInProgress } from '../limits/in-progress.ts';
import { createMeters } from '../metrics/meters.ts';
import { observeProviders } from '../metrics/observe-providers.ts';
import { createRecentFailures } from '../metrics/recent-failures.ts';
import { registerGroundGauges } from '../metrics/register-ground-gauges.ts';
import type { ProcessSnapshot } from '../metrics/scraper.ts';
import { createModelRegistry } from '../models/model-registry.ts';
import { priceOf } from '../models/price-of.ts';
import { commandsChannel, createNodeCommands } from '../nodes/node-commands.ts';
import { announcePresence, nodesChannel } from '../nodes/presence.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Feature, Ground } from '../services.ts';
import { createTelemetry } from '../telemetry/create-telemetry.ts';
import { createMcpSessions } from '../tools/types/mcp/mcp-sessions.ts';
import { deliver } from '../tools/types/send-email/deliver.ts';
import { explainFailure } from '../tools/types/send-email/explain-email-failure.ts';
import { createWebhookSender } from '../webhooks/send-webhook.ts';
import { openBus } from './open-bus.ts';

export interface AppOptions extends Pick<Ground, 'clock' | 'config' | 'database' | 'log'> {
  keyRing: KeyRing;
  door: FrontDoor;
  /** The embedded database admits one node only, so turns of other nodes can be taken over immediately. */
  isAlone?: boolean;
  /** Connects the processes of this machine. */
  transport?: Transport;
  /** How often schedules are checked; every second if left out. */
  scheduleEveryMilliseconds?: number;
  /** How long a request may wait until it is counted against its limit; see `openLimits`. */
  maxCountMilliseconds?: number;
  /** The metrics of all processes of this machine, this one included; left out if it is the only one. */
  collectMetrics?: () => Promise<ProcessSnapshot[]>;
}

/** What every feature stands on: connections to other processes and to the outside, background jobs, models. */
export async function openGround(options: AppOptions): Promise<Feature<Ground>> {
  const { config, database, log, clock, isAlone = false } = options;
  const box = createSecretBox(options.keyRing);
  const bus = openBus(options);
  const presence = await announcePresence({ database, log, bus, isAlone });
  const { nodeId } = presence;
  const telemetry = await createTelemetry(config.telemetry, { nodeId, log });
  const nodeCommands = createNodeCommands({ database, log, telemetry }, nodeId);
  const meters = createMeters();
  registerGroundGauges(meters, { database, dataDirectory: config.dataDirectory, log });
  const recentFailures = createRecentFailures();
  const providerObserver = observeProviders({
    meters,
    priceOf: (modelId) => priceOf(modelId, config.modelPrices),
    onFailure: recentFailures.note,
  });
  const { close, ...outbound } = openOutbound(config, log, (reason) => meters.egressRefusals.add(1, reason));
  const { lane, guardedLane } = outbound;
  const models = createModelRegistry({
    providers: config.providers,
    lane,
    prices: config.modelPrices,
    observer: providerObserver,
    ...(config.defaultModel && { defaultModel: config.defaultModel }),
  });
  const jobs = createJobs({ database, log, presence });
  const idempotency = createIdempotencyService({ database, box, nodeId, log });
  const feed = createConversationFeed(bus);
  return {
    services: {
      ...outbound,
      config,
      database,
      log,
      clock,
      publicUrl: config.publicUrl,
      nodeId,
      box,
      bus,
      nodeCommands,
      presence,
      models,
      providerObserver,
      recentFailures,
      meters,
      jobs,
      idempotency,
      feed,
      noteChange: createNoteChange(bus),
      sendWebhook: createWebhookSender({ lane: guardedLane, box, clock }),
      inProgress: createInProgress(),
      telemetry,
    },
    notifications: {
      [nodesChannel]: presence.hear,
      [commandsChannel](recipient) {
        if (recipient === nodeId) nodeCommands.collect();
      },
    },
    setListening(isListening) {
      if (!isListening) return;
      feed.noteLost();
      nodeCommands.collect();
    },
    rounds: [
      { name: 'commands to lost nodes', everyMilliseconds: 60_000, work: nodeCommands.removeLeft },
      { name: 'abandoned jobs', everyMilliseconds: 3_000, work: jobs.returnAbandoned, takesOver: true },
      { name: 'expired idempotency keys', everyMilliseconds: 60_000, work: idempotency.deleteExpired },
      { name: 'unsettled idempotency keys', everyMilliseconds: 1_000, work: idempotency.settle },
    ],
    async close() {
      await nodeCommands.close();
      await close();
    },
  };
}

/** The lanes for outbound connections, and what keeps connections open on them. */
export function openOutbound(
  { egressAllow: allow, dnsServers: nameServers, smtp }: Pick<Config, 'egressAllow' | 'dnsServers' | 'smtp'>,
  log: Ground['log'],
  onRefused?: (reason: RefusalReason) => void,
) {
  const lane = createTrustedLane();
  const guardedLane = createGuardedLane({ allow, nameServers, ...(onRefused && { onRefused }) });
  const mcpSessions = createMcpSessions({ fetch: guardedLane.fetch, log });
  const mail = smtp && openMail(smtp);
  return {
    lane,
    guardedLane,
    mcpSessions,
    sendMail: mail?.send,
    async close(): Promise<void> {
      await mcpSessions.close();
      await guardedLane.close();
      await mail?.close();
      await lane.close();
    },
  };
}

/** The service's own mail server comes from the configuration: it may be in a private network. */
function openMail(smtp: SmtpConfig) {
  const lane = createGuardedLane({ allow: [smtp.host] });
  const send = createMailer({
    smtp,
    deliver: (server, mail, signal) => deliver(server, mail, lane.openSocket, signal),
    explain: explainFailure,
  });
  return { send, close: () => lane.close() };
}
