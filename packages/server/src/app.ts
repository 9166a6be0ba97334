import { createAgentService } from './agents/agents.service.ts';
import { createRunHistoryService } from './agents/history/run-history.service.ts';
import { createScheduleService } from './agents/schedules/schedules.service.ts';
import { openApprovals } from './approvals/open-approvals.ts';
import { createApprovalResolver } from './approvals/resolver.ts';
import { createAuditService } from './audit/audit.service.ts';
import { createBotService, type RequireMachines } from './bots/bots.service.ts';
import { createBotVersionService } from './bots/versions/bot-versions.service.ts';
import type { Transport } from './bus/bus-transport.ts';
import type { Config } from './config/config.ts';
import { createConversationService } from './conversations/conversations.service.ts';
import { createConversationDesk } from './conversations/desk/desk.service.ts';
import { createEndUserView } from './conversations/end-user-view/end-user-view.service.ts';
import { createConversationErasure } from './conversations/erasure/conversation-erasure.service.ts';
import { createTraceService } from './conversations/tracing/tracing.service.ts';
import { canAnswer, type Database } from './database/database.ts';
import { createDiscoverService } from './discover/discover.service.ts';
import { createMessageCaps } from './end-users/caps.ts';
import { createEndUserService } from './end-users/end-users.service.ts';
import { createEndUserErasure } from './end-users/erasure/end-user-erasure.service.ts';
import { createEvaluationService } from './evaluations/evaluations.service.ts';
import { createConversationFeed } from './events/conversation-feed.ts';
import { createNoteChange } from './events/workspace-changes.ts';
import type { FrontDoor } from './http/front-door.ts';
import { createProxyNotes } from './http/proxy-notes.ts';
import { createIdempotencyService } from './idempotency/idempotency.service.ts';
import { createJobs } from './jobs/jobs.ts';
import { createKeyCache } from './keys/key-cache.ts';
import { createKeyService } from './keys/keys.service.ts';
import { openKnowledge } from './knowledge/open-knowledge.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { createInProgress } from './limits/in-progress.ts';
import { openMachines } from './machines/open-machines.ts';
import { createModelRegistry } from './models/model-registry.ts';
import { startApartNotes } from './nodes/apart-notes.ts';
import { announcePresence } from './nodes/presence.ts';
import { createPageReader } from './pages/page-reader.ts';
import { createPostCallHookService } from './post-call-hooks/post-call-hooks.service.ts';
import { createQualityService } from './quality/quality.service.ts';
import { createReplyWatch } from './quality/reply-watch.ts';
import { createRunService } from './runs/runs.service.ts';
import { runWebhookQueue } from './runs/webhook/run-webhook.queue.ts';
import { createRunWebhookSender } from './runs/webhook/run-webhook-sender.ts';
import type { KeyRing } from './secrets/key-ring.ts';
import { createSecretBox } from './secrets/secret-box.ts';
import { createTelemetry } from './telemetry/create-telemetry.ts';
import { createToolService } from './tools/tools.service.ts';
import { openTurns } from './turns/open-turns.ts';
import { createLiveCalls } from './voice/exchange/live-calls.ts';
import { openVoice } from './voice/open-voice.ts';
import { createWebVoiceService } from './voice/transports/web/web-voice.service.ts';
import { createVoiceCheck } from './voice/voice-check.ts';
import { createCallRecords } from './voice-calls/records/call-records.service.ts';
import { createVoiceCallService } from './voice-calls/voice-calls.service.ts';
import { createWebhookSender } from './webhooks/send-webhook.ts';
import { openWidgets } from './widgets/open-widgets.ts';
import { consoleVoice } from './wiring/console-voice.ts';
import { createStop } from './wiring/create-stop.ts';
import { openBilling } from './wiring/open-billing.ts';
import { openBus } from './wiring/open-bus.ts';
import { openConsole } from './wiring/open-console.ts';
import { openHttp } from './wiring/open-http.ts';
import { openMessageCounter } from './wiring/open-message-counter.ts';
import { openOutbound } from './wiring/open-outbound.ts';
import { openPeople } from './wiring/open-people.ts';
import { openRequestLimits } from './wiring/open-request-limits.ts';
import { registerRoutes } from './wiring/register-routes.ts';
import { startListening } from './wiring/start-listening.ts';
import { startRounds } from './wiring/start-rounds.ts';
import { createToolTypes } from './wiring/tool-types.ts';
import { createTurnTools } from './wiring/turn-tools.ts';
import { createWorkspaceService } from './workspaces/workspaces.service.ts';

export interface AppOptions {
  config: Config;
  keyRing: KeyRing;
  /** Migrated. */
  database: Database;
  door: FrontDoor;
  log: Log;
  clock: Clock;
  /** The embedded database admits one node only, so turns of other nodes can be taken over immediately. */
  isAlone?: boolean;
  /** Connects the processes of this machine. */
  transport?: Transport;
  /** How often schedules are checked; every second if left out. */
  scheduleEveryMilliseconds?: number;
  /** How long a request may wait until it is counted against its limit; see `openRequestLimits`. */
  maxCountMilliseconds?: number;
}

export interface App {
  nodeId: string;
  /** The first account key, returned only once. */
  firstKey: string | undefined;
  /** For the first account of the console; undefined once there is one. */
  setUpLink: string | undefined;
  models: { configured: string[]; defaultModelId: string };
  /**
   * Gives requests and work in progress this long, then hands over what is left and closes everything except the database.
   * Takes a few seconds more at most, even if the database or the network hangs.
   */
  stop(graceMilliseconds?: number): Promise<void>;
}

/** Wires everything together. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, database, door, log, clock, isAlone = false, scheduleEveryMilliseconds } = options;
  const box = createSecretBox(options.keyRing);
  const bus = openBus(options);
  const presence = await announcePresence({ database, log, bus, isAlone });
  const outbound = openOutbound(config);
  const { lane, guardedLane, sendMail } = outbound;
  const { nodeId } = presence;
  const models = createModelRegistry({
    providers: config.providers,
    lane,
    prices: config.modelPrices,
    ...(config.defaultModel && { defaultModel: config.defaultModel }),
  });

  const audit = createAuditService({ database });
  const workspaces = createWorkspaceService({ database });
  const keyCache = createKeyCache();
  const keys = createKeyService({ database, cache: keyCache, clock });
  const idempotency = createIdempotencyService({ database, box, nodeId, log });
  const voices = createVoiceCheck({ providers: config.providers, lane });
  const requireMachines: RequireMachines = (...given) => tools.requireMachines(...given);
  const bots = createBotService({
    database,
    requireMachines,
    workspaces,
    models,
    voices,
    webhooks: guardedLane,
    canSendMail: config.smtp !== undefined,
    clock,
  });
  const money = openBilling({ database, models, workspaces, nodeId, clock });
  const { billing, spender } = money;
  const jobs = createJobs({ database, log, presence });
  const runs = createRunService({ database, jobs });
  const voiceCalls = createVoiceCallService({ database, billing, clock });
  const conversations = createConversationService({ database, bots, runs, voiceCalls });
  const feed = createConversationFeed(bus);
  const desk = createConversationDesk({ database, feed, requireMachines, clock });
  const noteChange = createNoteChange(bus);
  const basics = { database, box, jobs, feed, models, nodeId, noteChange, clock, log };
  const records = { runs, voiceCalls, callRecords: createCallRecords({ database }), conversations };
  const shared = { ...basics, workspaces, billing, spender, bots, ...records };
  const knowledge = await openKnowledge({ ...shared, config, lane, guardedLane });
  const machines = openMachines({ ...basics, bots, presence });
  const outside = { outbound, desk, knowledge: knowledge.service, machines: machines.service };
  const liveCalls = createLiveCalls();
  const registry = createToolTypes({ ...outside, calls: liveCalls, clock });
  const tools = createToolService({ database, bots, registry, machines: machines.service, box, log });
  const versions = createBotVersionService({ database, bots, tools, clock });
  const openApiWorker = new URL('./wiring/openapi-worker.ts', import.meta.url);
  const pages = { lane: guardedLane, readPage: createPageReader().read, openApiWorker };
  const discover = createDiscoverService({ models, registry, bots, spender, ...pages });
  const hooks = createPostCallHookService({ database, bots, tools });

  const sendWebhook = createWebhookSender({ lane: guardedLane, box, clock });
  jobs.define(runWebhookQueue, createRunWebhookSender({ runs, sendWebhook }));
  const notifying = { sendWebhook, sendMail, publicUrl: config.publicUrl };
  const { service: approvals, links } = openApprovals({ ...shared, ...notifying, tools });
  const providerKeys = Object.values(config.providers).flatMap(({ apiKey }) => apiKey ?? []);
  const traces = createTraceService({ database, conversations, tools, providerKeys, log });
  const telemetry = await createTelemetry(config.telemetry, { nodeId, log });
  const inProgress = createInProgress();
  const { maxCountMilliseconds } = options;
  const requestLimits = openRequestLimits({ config, database, box, log, isAlone, maxCountMilliseconds });
  const { limits } = requestLimits;
  const engine = openTurns({
    ...shared,
    approvals,
    traces,
    telemetry,
    inProgress,
    presence,
    tools: createTurnTools({ database, bots, tools, versions, machines: machines.service, calls: liveCalls }),
    knowledge: knowledge.service,
    quality: createReplyWatch({ ...shared, traces }),
  });
  const { service: turns } = engine;
  const answered = { approvals, tools, machines: machines.service };
  const resolver = createApprovalResolver({ ...basics, ...engine, ...answered });
  const evaluations = createEvaluationService({ ...shared, turns, versions });
  const agents = createAgentService({ ...shared, turns });
  const schedules = createScheduleService({ ...shared, runs: agents });
  const runHistory = createRunHistoryService(shared);
  const endUsers = createEndUserService({ ...shared, keys });
  const endUserView = createEndUserView(shared);
  const erasure = createConversationErasure({ database, billing });
  const endUserErasure = createEndUserErasure({ erasure, turns, billing, idempotency, endUsers });
  const messageCounts = openMessageCounter(database);
  const caps = createMessageCaps({ counter: messageCounts.counter, billing, log });
  const { publicUrl } = config;
  const ofVisitors = { endUsers, endUserView, caps, turns, limits };
  const widgets = openWidgets({ ...shared, ...ofVisitors, guardedLane, publicUrl });
  const ofPeople = { workspaces, limits, publicUrl, sendMail };
  const people = openPeople({ ...basics, ...ofPeople, keyCache, machines, widgets });
  const members = people.service;
  const quality = createQualityService(shared);
  const { reading } = engine;
  const ofCalls = { config, bus, lane, voices, tools, hooks, turns, reading, liveCalls };
  const voice = openVoice({ ...shared, ...money, ...ofCalls, idempotency });
  const apart = startApartNotes({ presence, bus, hasRedis: config.redisUrl !== undefined, log });
  const proxyNotes = createProxyNotes({ ...basics, trustedProxies: config.trustedProxies });
  const notes = () => [...apart.current(), ...proxyNotes.current()];
  const ofNode = { config, bus, presence, reading, notes };
  const answering = { approvals, resolver, links, turns, knowledge: knowledge.service };
  const shown = { traces, members, quality, tools, voice: consoleVoice(voice) };
  const consoleServices = openConsole({ ...shared, ...ofNode, ...answering, ...shown });
  const webVoice = createWebVoiceService({
    ...shared,
    ...voice.ofWeb,
    creditOf: money.creditOf,
    openCall: voice.openCall,
    visitors: widgets.routes.visitors,
    endUsers,
  });
  const features = [engine, machines, widgets, people, endUsers, consoleServices.live];
  const listener = await startListening({ ...basics, keyCache, keys, presence, widgets, features });

  const workspace = await workspaces.ensureDefault(config.plan);
  if (config.bootstrapKey && !(await keys.ensureBootstrapKey(workspace.id, config.bootstrapKey)))
    log.warn('SVC_BOOTSTRAP_KEY is a key that was revoked: it does not work. Set another one or remove it.');
  const firstKey = await keys.ensureFirstKey(workspace.id);
  const setUpLink = await people.routes.accounts.makeSetUpLink();
  // Before we report that we are ready: until here a lost database fails the start, afterwards it is waited for.
  await jobs.start();
  await knowledge.start();

  let stopping = false;
  const access = {
    keys,
    keyCache,
    machineKeys: machines.service,
    endUsers,
    widgetDoor: widgets.service.door,
    members,
  };
  const web = await openHttp({
    ...basics,
    ...access,
    config,
    door,
    idempotency,
    inProgress,
    reading,
    requestLimits,
    proxyNotes,
  });
  const isReady = async () => !stopping && (await canAnswer(database));
  const ofAgents = { agents, schedules, runHistory };
  const services = { ...ofAgents, keys, versions, hooks, tools, discover, traces, desk, evaluations };
  const ofEndUsers = { endUsers, endUserErasure, endUserView, caps, ...widgets.routes };
  await registerRoutes(web.http, {
    ...shared,
    ...web,
    ...money,
    ...services,
    ...answering,
    ...ofEndUsers,
    ...people.routes,
    ...consoleServices,
    ...voice.routes,
    knowledgeOverview: knowledge.overview,
    audit,
    members,
    quality,
    machines: machines.service,
    webVoice,
    isVoiceAvailable: voice.ofWeb.isVoiceAvailable,
    isReady,
    notes: apart.current,
  });

  await engine.sweep();
  const counted = { requestLimits, messageCounts };
  const swept = { people, endUsers, audit, idempotency, knowledge, consoleBots: consoleServices.consoleBots };
  const ofVoice = { calls: voice.exchange, postCall: voice.postCall };
  const periodic = { bus, presence, engine, money, resolver, ...ofVoice, ...counted, ...swept };
  await voice.start();
  const rounds = startRounds({ ...basics, ...services, ...web, ...periodic, scheduleEveryMilliseconds });
  const closing = { door, web, rounds, apart, presence, bus, listener, telemetry, knowledge, outbound, log };
  const working = { schedules, evaluations, engine, voice, jobs, machines };
  const stop = createStop({ ...closing, ...consoleServices, ...working });

  return {
    nodeId,
    firstKey,
    setUpLink,
    models: { configured: models.configured(), defaultModelId: models.defaultModelId() },
    stop(graceMilliseconds) {
      stopping = true;
      return stop(graceMilliseconds);
    },
  };
}
