import { openAgents } from './agents/open-agents.ts';
import { openApprovalAnswers, openApprovals } from './approvals/open-approvals.ts';
import { openAudit } from './audit/open-audit.ts';
import { openBilling } from './billing/open-billing.ts';
import { openBots, openBotVersions } from './bots/open-bots.ts';
import { openConsole } from './console/open-console.ts';
import { openConversations, openTraces } from './conversations/open-conversations.ts';
import { canAnswer } from './database/database.ts';
import { discoverRoutes } from './discover/discover.routes.ts';
import { createDiscoverService } from './discover/discover.service.ts';
import { openEndUsers } from './end-users/open-end-users.ts';
import { openEvaluations } from './evaluations/open-evaluations.ts';
import { failedJobRoutes } from './failed-jobs/failed-jobs.routes.ts';
import { createFailedJobService } from './failed-jobs/failed-jobs.service.ts';
import { openFiles } from './files/open-files.ts';
import { docsRoutes } from './http/docs/docs-routes.ts';
import { healthRoutes } from './http/health.ts';
import { createProxyNotes } from './http/proxy-notes.ts';
import { openKeys } from './keys/open-keys.ts';
import { openKnowledge } from './knowledge/open-knowledge.ts';
import { openLegalHolds } from './legal-holds/open-legal-holds.ts';
import { openMachines } from './machines/open-machines.ts';
import type { NoteOutcome } from './machines/operations/late-outcomes.ts';
import type { MetricSnapshot } from './metrics/meters.ts';
import { startApartNotes } from './nodes/apart-notes.ts';
import { createPageReader } from './pages/page-reader.ts';
import { postCallHookRoutes } from './post-call-hooks/post-call-hooks.routes.ts';
import { createPostCallHookService } from './post-call-hooks/post-call-hooks.service.ts';
import { qualityRoutes } from './quality/quality.routes.ts';
import { createQualityService } from './quality/quality.service.ts';
import { createReplyWatch } from './quality/reply-watch.ts';
import { openRetention } from './retention/open-retention.ts';
import { openRuns } from './runs/open-runs.ts';
import type { Feature, Services } from './services.ts';
import { openTools } from './tools/open-tools.ts';
import { readOutcome } from './tools/types/coding/perform-operation.ts';
import { branchRoutes } from './turns/branches.routes.ts';
import { openTurns } from './turns/open-turns.ts';
import { turnRoutes } from './turns/turns.routes.ts';
import { createLiveCalls } from './voice/exchange/live-calls.ts';
import { createVoiceCheck } from './voice/voice-check.ts';
import { openVoiceCalls } from './voice-calls/open-voice-calls.ts';
import { openWidgets } from './widgets/open-widgets.ts';
import { createStop } from './wiring/create-stop.ts';
import { openCalls } from './wiring/open-calls.ts';
import { type AppOptions, openGround } from './wiring/open-ground.ts';
import { openHttp } from './wiring/open-http.ts';
import { openLimits } from './wiring/open-limits.ts';
import { openMetrics } from './wiring/open-metrics.ts';
import { openPeople } from './wiring/open-people.ts';
import { startListening } from './wiring/start-listening.ts';
import { startRounds } from './wiring/start-rounds.ts';
import { createToolTypes } from './wiring/tool-types.ts';
import { createTurnTools } from './wiring/turn-tools.ts';
import { createWorkspaceService } from './workspaces/workspaces.service.ts';

export interface App {
  nodeId: string;
  /** The first account key, returned only once. */
  firstKey: string | undefined;
  /** For the first account of the console; undefined once there is one. */
  setUpLink: string | undefined;
  models: { configured: string[]; defaultModelId: string };
  /** The port that serves the metrics alone, if there is one. */
  metricsPort: number | undefined;
  /** The metrics of this process; none unless they are served. */
  readMetrics(): Promise<MetricSnapshot[]>;
  /**
   * Gives requests and work in progress this long, then hands over what is left and closes everything except the database.
   * Takes a few seconds more at most, even if the database or the network hangs.
   */
  stop(graceMilliseconds?: number): Promise<void>;
}

const openApiWorker = new URL('./wiring/openapi-worker.ts', import.meta.url);

/**
 * Wires everything together. A feature is given all services that were opened before it, takes what it needs and adds its own. The
 * compiler refuses one that needs a later one.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, database, door, log, isAlone = false } = options;
  const features: Feature[] = [];
  let stopping = false;
  function add<Known extends object, Provided extends Partial<Services>>(
    known: Known,
    feature: Feature<Provided>,
  ): asserts known is Known & Provided {
    Object.assign(known, feature.services);
    features.push(feature);
  }

  const ground = await openGround(options);
  const { services } = ground;
  features.push(ground);
  const { presence, jobs, models } = services;
  add(services, { services: { jobs }, stop: jobs.stop });
  const metrics = await openMetrics(services, options);
  add(services, metrics);
  add(services, openLimits({ ...services, isAlone, maxCountMilliseconds: options.maxCountMilliseconds }));
  add(services, openAudit(services));
  add(services, await openFiles(services));
  add(services, openLegalHolds(services));
  add(services, { services: { workspaces: createWorkspaceService(services) } });
  add(services, openBilling(services));
  add(services, openKeys(services));
  add(services, { services: { failedJobs: createFailedJobService(services) }, routes: [failedJobRoutes] });

  // Bots check voices and machines, and get default tools, and whoever takes over a conversation stops its turn: all of these are
  // opened above them.
  const voices = createVoiceCheck({ providers: config.providers, lane: services.lane });
  const requireMachines: Services['requireMachines'] = (...given) => tools.requireMachines(...given);
  const planDefaultTools: Services['planDefaultTools'] = (...given) => tools.planDefaultTools(...given);
  const stopTurn: Services['stopTurn'] = (...given) => engine.services.turns.stop(...given);
  add(services, {
    services: { voices, requireMachines, planDefaultTools, stopTurn, liveCalls: createLiveCalls() },
  });
  add(services, openBots(services));
  add(services, await openKnowledge(services));
  const noteOutcome: NoteOutcome = (call, outcome) =>
    engine.noteLateOutcome(call, readOutcome(call.name, outcome));
  const machines = openMachines({ ...services, noteOutcome });
  add(services, machines);
  add(services, openRuns(services));
  add(services, openVoiceCalls(services));
  add(services, openConversations(services));
  add(services, openTools({ ...services, registry: createToolTypes(services) }));
  const { tools } = services;
  add(services, openBotVersions(services));
  const readPage = createPageReader().read;
  const discover = createDiscoverService({
    ...services,
    lane: services.guardedLane,
    readPage,
    openApiWorker,
  });
  add(services, { services: { discover }, routes: [discoverRoutes] });
  add(services, {
    services: { hooks: createPostCallHookService(services) },
    routes: [postCallHookRoutes],
  });
  add(services, openTraces(services));
  add(services, openApprovals(services));

  const engine = openTurns({
    ...services,
    tools: createTurnTools({ ...services, calls: services.liveCalls }),
    quality: createReplyWatch(services),
  });
  add(services, {
    ...engine,
    routes: [(http, all) => turnRoutes(http, { ...all, channel: 'chat' }), branchRoutes],
  });
  const { resumeTurn, machineOfTurn } = engine;
  add(services, openApprovalAnswers({ ...services, resumeTurn, machineOfTurn }));
  add(services, openEndUsers(services));
  const { scheduleEveryMilliseconds } = options;
  add(services, openAgents({ ...services, scheduleEveryMilliseconds }));
  add(services, { services: { quality: createQualityService(services) }, routes: [qualityRoutes] });
  add(services, openEvaluations(services));
  add(services, openWidgets(services));
  add(services, openRetention(services));
  add(services, openPeople(services));
  const calls = openCalls(services);
  add(services, calls);

  const apart = startApartNotes({ ...services, hasRedis: config.redisUrl !== undefined });
  const proxyNotes = createProxyNotes({ ...services, trustedProxies: config.trustedProxies });
  const notes = () => [...apart.current(), ...proxyNotes.current()];
  const isReady = async () => !stopping && (await canAnswer(database));
  add(services, {
    services: {},
    routes: [(http) => healthRoutes(http, isReady, apart.current), docsRoutes],
    stop: apart.stop,
  });
  add(services, openConsole({ ...services, notes, voice: calls.ofConsole }));
  const listener = await startListening(services, features);

  const workspace = await services.workspaces.ensureDefault(config.plan);
  if (config.bootstrapKey && !(await services.keys.ensureBootstrapKey(workspace.id, config.bootstrapKey)))
    log.warn('SVC_BOOTSTRAP_KEY is a key that was revoked: it does not work. Set another one or remove it.');
  const firstKey = await services.keys.ensureFirstKey(workspace.id);
  const setUpLink = await services.accounts.makeSetUpLink();
  // Before we report that we are ready: until here a lost database fails the start, afterwards it is waited for.
  await jobs.start();
  for (const { start } of features) await start?.();

  const web = await openHttp({ ...services, door, proxyNotes });
  add(services, web);
  const { http } = web;
  for (const { routes = [] } of features) for (const route of routes) await route(http, services);
  await http.ready();

  await engine.sweep();
  await calls.connect();
  const rounds = startRounds(
    services,
    features.flatMap((feature) => feature.rounds ?? []),
  );
  const stop = createStop(services, features, {
    door,
    http,
    rounds,
    listener,
    disconnectMachines: machines.disconnect,
  });

  return {
    nodeId: presence.nodeId,
    firstKey,
    setUpLink,
    models: { configured: models.configured(), defaultModelId: models.defaultModelId() },
    metricsPort: metrics.port,
    readMetrics: metrics.snapshot,
    stop(graceMilliseconds) {
      stopping = true;
      return stop(graceMilliseconds);
    },
  };
}
