import { agentRoutes } from './agents/routes.ts';
import { scheduleRoutes } from './agents/schedules/routes.ts';
import { createScheduleService } from './agents/schedules/service.ts';
import { createAgentService } from './agents/service.ts';
import { createApprovalAnnouncer } from './approvals/notices/announcer.ts';
import { noticeQueue } from './approvals/notices/queue.ts';
import { createNoticeSender } from './approvals/notices/sender.ts';
import { createApprovalLinks } from './approvals/page/links.ts';
import { approvalPageRoutes } from './approvals/page/routes.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { createApprovalService } from './approvals/service.ts';
import { usageRoutes } from './billing/routes.ts';
import { botRoutes } from './bots/routes.ts';
import { createBotService } from './bots/service.ts';
import { botVersionRoutes } from './bots/versions/routes.ts';
import { createBotVersionService } from './bots/versions/service.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { deskRoutes } from './conversations/desk/routes.ts';
import { createConversationDesk, deskChannel } from './conversations/desk/service.ts';
import { conversationRoutes } from './conversations/routes.ts';
import { createConversationService } from './conversations/service.ts';
import { createTraceService } from './conversations/tracing/service.ts';
import { canAnswer, type Database } from './database/database.ts';
import { startListener } from './database/listener.ts';
import { discoverRoutes } from './discover/routes.ts';
import { createDiscoverService } from './discover/service.ts';
import { evaluationRoutes } from './evaluations/routes.ts';
import { createEvaluationService } from './evaluations/service.ts';
import { createInProcessBus } from './events/bus.ts';
import { createAuthenticate, createWatchKey } from './http/access.ts';
import { docsRoutes } from './http/docs/docs-routes.ts';
import { createEventStreams } from './http/event-streams.ts';
import type { FrontDoor } from './http/front-door.ts';
import { healthRoutes } from './http/health.ts';
import { createIdempotent } from './http/idempotency.ts';
import { createPlaces } from './http/places.ts';
import { createSendList } from './http/send-list.ts';
import { createHttpServer } from './http/server.ts';
import { createIdempotencyService } from './idempotency/service.ts';
import { createJobs } from './jobs/jobs.ts';
import { createKeyCache } from './keys/key-cache.ts';
import { createKeyService, revokedChannel } from './keys/service.ts';
import { openKnowledge } from './knowledge/open-knowledge.ts';
import { knowledgeRoutes } from './knowledge/routes.ts';
import { createInProgress } from './limits/in-progress.ts';
import { createMemoryCounter } from './limits/request-counter.ts';
import { createRequestLimits } from './limits/request-limits.ts';
import type { Log } from './log.ts';
import { builtinProvider } from './models/builtin/builtin-provider.ts';
import { createModelRegistry } from './models/registry.ts';
import { announcePresence } from './nodes/presence.ts';
import { createPageReader } from './pages/page-reader.ts';
import { postCallHookRoutes } from './post-call-hooks/routes.ts';
import { createPostCallHookService } from './post-call-hooks/service.ts';
import { createReplyWatch } from './quality/reply-watch.ts';
import { repeat } from './repeat.ts';
import { createRunService } from './runs/service.ts';
import { runWebhookQueue } from './runs/webhook/queue.ts';
import { createRunWebhookSender } from './runs/webhook/sender.ts';
import type { KeyRing } from './secrets/key-ring.ts';
import { createSecretBox } from './secrets/secret-box.ts';
import { createTelemetry } from './telemetry/telemetry.ts';
import { toolRoutes } from './tools/routes.ts';
import { createToolService } from './tools/service.ts';
import { createLiveReplies } from './turns/reply/live-replies.ts';
import { createSummariser } from './turns/reply/summarise.ts';
import { turnRoutes } from './turns/routes.ts';
import { createDeadlineSweep } from './turns/run/deadlines.ts';
import { createTurnGate } from './turns/run/gate.ts';
import { StopRequested } from './turns/run/lease.ts';
import { createRecentHistories } from './turns/run/recent-histories.ts';
import { createTurnRunner } from './turns/run/runner.ts';
import { createStopTurn } from './turns/run/stop.ts';
import { createTruncate } from './turns/run/truncate.ts';
import { createTurnService, stopChannel } from './turns/service.ts';
import { stopJsonChecks } from './validation/json-schema/check-json.ts';
import { createVoiceCheck } from './voice/voice-check.ts';
import { createWebhookSender } from './webhooks/send-webhook.ts';
import { openBilling } from './wiring/open-billing.ts';
import { openOutbound } from './wiring/open-outbound.ts';
import { createToolTypes } from './wiring/tool-types.ts';
import { createTurnTools } from './wiring/turn-tools.ts';
import { workspaceRoutes } from './wiring/workspace-routes.ts';
import { createWorkspaceService, limitsChannel } from './workspaces/service.ts';

export interface AppOptions {
  config: Config;
  keyRing: KeyRing;
  /** Migrated. */
  database: Database;
  door: FrontDoor;
  log: Log;
  clock: Clock;
  /** The embedded database lets in one service only: whatever other nodes left behind is free at once. */
  isAlone?: boolean;
  /** How often schedules are looked at: every second, when left out. */
  scheduleEveryMilliseconds?: number;
}

export interface App {
  /** The very first account key, told this one time; undefined ever after. */
  firstKey: string | undefined;
  models: { configured: string[]; defaultModelId: string };
  /** Drains within the grace period and gives up what this node holds; the database stays open. */
  stop(graceMilliseconds?: number): Promise<void>;
}

/** Wires everything together: the only place that does. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, database, door, log, clock, scheduleEveryMilliseconds: scheduleEvery = 1_000 } = options;
  const box = createSecretBox(options.keyRing);
  const presence = await announcePresence(database, log, { isAlone: options.isAlone ?? false });
  const outbound = openOutbound(config);
  const { lane, guardedLane, sendMail } = outbound;
  const { nodeId } = presence;
  const models = createModelRegistry({
    providers: config.providers,
    lane,
    additional: [builtinProvider],
    prices: config.modelPrices,
    ...(config.defaultModel && { defaultModel: config.defaultModel }),
  });

  const workspaces = createWorkspaceService({ database });
  const keyCache = createKeyCache();
  const keys = createKeyService({ database, cache: keyCache, clock });
  const idempotency = createIdempotencyService({ database, box, nodeId, log });
  const bots = createBotService({
    database,
    workspaces,
    models,
    voices: createVoiceCheck({ providers: config.providers, lane }),
    webhooks: guardedLane,
    canSendMail: config.smtp !== undefined,
    clock,
  });
  const money = openBilling({ database, models, workspaces, nodeId, clock });
  const { billing, spender } = money;
  const jobs = createJobs({ database, log, presence });
  const runs = createRunService({ database, jobs });
  const conversations = createConversationService({ database, bots, runs });
  const bus = createInProcessBus();
  const desk = createConversationDesk({ database, bus, clock, nodeId });
  const shared = { database, models, bots, conversations, workspaces, billing, spender, clock, log };
  const knowledge = await openKnowledge({ ...shared, config, lane, guardedLane, jobs });
  const registry = createToolTypes({ outbound, desk, knowledge: knowledge.service, clock });
  const tools = createToolService({ database, bots, registry, box, log });
  const versions = createBotVersionService({ database, bots, tools, clock });
  const openApiWorker = new URL('./wiring/openapi-worker.ts', import.meta.url);
  const reading = { lane: guardedLane, readPage: createPageReader().read, openApiWorker };
  const discover = createDiscoverService({ models, registry, bots, spender, ...reading });
  const hooks = createPostCallHookService({ database, bots, tools });

  const replies = createLiveReplies(bus);
  const gate = createTurnGate({ nodeId, runs, runner: () => runner });
  const links = createApprovalLinks(box, config.publicUrl);
  const notices = createApprovalAnnouncer({ bots, jobs });
  const approvals = createApprovalService({ ...shared, tools, box, bus, gate, notices });
  const sendWebhook = createWebhookSender({ lane: guardedLane, box, clock });
  const sendNotice = createNoticeSender({ approvals, bots, runs, links, sendWebhook, sendMail, clock });
  jobs.define(noticeQueue, sendNotice);
  jobs.define(runWebhookQueue, createRunWebhookSender({ runs, sendWebhook }));
  const providerKeys = Object.values(config.providers).flatMap(({ apiKey }) => apiKey ?? []);
  const traces = createTraceService({ database, conversations, tools, providerKeys, log });
  const quality = createReplyWatch({ ...shared, traces, jobs });
  const telemetry = await createTelemetry(config.telemetry, { nodeId, log });
  const engine = {
    ...shared,
    bus,
    replies,
    tools: createTurnTools({ database, tools, versions }),
    knowledge: knowledge.service,
    approvals,
    runs,
    traces,
    quality,
    nodeId,
    telemetry,
  };
  const inProgress = createInProgress();
  const recent = createRecentHistories();
  const summarise = createSummariser(engine);
  const runner = createTurnRunner({
    ...engine,
    inProgress,
    afterTurn(lease, state) {
      if (state.ended) recent.keep(lease.conversationId, state.messages);
      return summarise(lease, state);
    },
  });
  const endOverdueRuns = createDeadlineSweep({ ...engine, runner });
  const turns = createTurnService({ ...engine, runner, recent });
  const stop = createStopTurn({ database, conversations, runner });
  const evaluations = createEvaluationService({ ...engine, turns, versions, stopTurn: stop });
  const agents = createAgentService({ database, bots, conversations, runs, turns, clock });
  const schedules = createScheduleService({ database, bots, runs: agents, clock, log });
  const streams = createEventStreams();
  const listener = await startListener({
    database,
    log,
    channels: {
      [revokedChannel]: (keyId) => keyCache.forget(keyId),
      [limitsChannel]: () => keyCache.clear(),
      [stopChannel]: (request) => {
        const [turnId = '', by = ''] = request.split(' ');
        runner.abort(turnId, new StopRequested(by));
      },
      [deskChannel]: desk.hear,
    },
    onConnected: (connected) => keyCache.setTrusted(connected),
  });

  const workspace = await workspaces.ensureDefault(config.plan);
  if (config.bootstrapKey && !(await keys.ensureBootstrapKey(workspace.id, config.bootstrapKey)))
    log.warn('SVC_BOOTSTRAP_KEY is a key that was revoked: it does not work. Set another one, or none.');
  const firstKey = await keys.ensureFirstKey(workspace.id);
  // Before anybody is told that we are ready: a database lost from then on is waited for, not the end of the start.
  await jobs.start();
  await knowledge.start();

  let stopping = false;
  const { publicUrl, rateLimitPerMinute: perMinute } = config;
  const limits = createRequestLimits({ counter: createMemoryCounter(), perMinute });
  const authenticate = createAuthenticate({ keys, limits });
  const http = await createHttpServer({ log, publicUrl, door, authenticate });
  const places = createPlaces(inProgress);
  const sendList = createSendList({ places });
  const idempotent = createIdempotent(idempotency);
  const watchKey = createWatchKey(keyCache);
  healthRoutes(http, { isReady: async () => !stopping && (await canAnswer(database)) });
  docsRoutes(http);
  workspaceRoutes(http, { database, keys, jobs, bots, box, publicUrl, idempotent, sendList });
  botRoutes(http, { bots, idempotent, sendList });
  botVersionRoutes(http, { versions, publicUrl, idempotent });
  postCallHookRoutes(http, { hooks, idempotent, sendList });
  toolRoutes(http, { tools, idempotent, places, sendList });
  await knowledgeRoutes(http, { knowledge: knowledge.service, idempotent, sendList });
  await discoverRoutes(http, { discover, streams, places, idempotent, watchKey });
  usageRoutes(http, money);
  conversationRoutes(http, { conversations, traces, publicUrl });
  deskRoutes(http, { desk, idempotent });
  agentRoutes(http, { agents, idempotent, places });
  scheduleRoutes(http, { schedules });
  evaluationRoutes(http, { evaluations, publicUrl, idempotent, sendList });
  approvalRoutes(http, { approvals, idempotent, sendList });
  await approvalPageRoutes(http, { approvals, links, now: () => clock.now() });
  turnRoutes(http, {
    channel: 'chat',
    turns,
    stop,
    truncate: createTruncate({ database, bus, conversations, approvals, stop }),
    streams,
    reading: { database, bus, snapshots: replies.snapshots, retractions: turns.retractions },
    idempotent,
    places,
    watchKey,
  });
  await http.ready();

  await runner.sweep();
  const rounds = [
    repeat({ name: 'take over turns', everyMilliseconds: 3_000, log, work: () => runner.sweep() }),
    repeat({ name: 'fire schedules', everyMilliseconds: scheduleEvery, log, work: schedules.fireDue }),
    repeat({ name: 'evaluations', everyMilliseconds: 3_000, log, work: () => evaluations.sweep() }),
    repeat({ name: 'money set aside', everyMilliseconds: 3_000, log, work: money.releaseAbandoned }),
    repeat({ name: 'run deadlines', everyMilliseconds: 3_000, log, work: endOverdueRuns }),
    repeat({ name: 'expire approvals', everyMilliseconds: 3_000, log, work: () => approvals.expire() }),
    repeat({ name: 'stream beats', everyMilliseconds: 15_000, log, work: async () => streams.beat() }),
    repeat({ name: 'dead keys', everyMilliseconds: 30_000, log, work: () => keys.forgetDeadKeys() }),
    repeat({ name: 'abandoned jobs', everyMilliseconds: 3_000, log, work: () => jobs.returnAbandoned() }),
    repeat({ name: 'knowledge without a job', everyMilliseconds: 600_000, log, work: knowledge.takeUp }),
    repeat({ name: 'idempotency', everyMilliseconds: 60_000, log, work: () => idempotency.sweep() }),
  ];

  return {
    firstKey,
    models: { configured: models.configured(), defaultModelId: models.defaultModelId() },
    async stop(graceMilliseconds = 10_000) {
      stopping = true;
      schedules.stop();
      streams.endChannels();
      const drained = door.close(graceMilliseconds);
      const patience = graceMilliseconds * 0.8;
      await Promise.all([evaluations.release(), runner.stop(patience), jobs.stop(patience)]);
      const delivered = telemetry.stop();
      streams.endAll();
      await drained;
      await http.close();
      await Promise.all(rounds.map((round) => round.stop()));
      await listener.stop();
      await presence.stop();
      await knowledge.stop();
      await outbound.close();
      await stopJsonChecks();
      await delivered;
    },
  };
}
