import { agentRoutes } from '../agents/agents.routes.ts';
import { runHistoryRoutes } from '../agents/history/run-history.routes.ts';
import { scheduleRoutes } from '../agents/schedules/schedules.routes.ts';
import { approvalRoutes } from '../approvals/approvals.routes.ts';
import { approvalPageRoutes } from '../approvals/page/approval-page.routes.ts';
import { auditRoutes } from '../audit/audit.routes.ts';
import { usageRoutes } from '../billing/billing.routes.ts';
import { botRoutes } from '../bots/bots.routes.ts';
import type { BotService } from '../bots/bots.service.ts';
import { botVersionRoutes } from '../bots/versions/bot-versions.routes.ts';
import { botWebhookRoutes } from '../bots/webhooks/bot-webhooks.routes.ts';
import { consoleBotRoutes } from '../console/bots/console-bots.routes.ts';
import { consoleConversationRoutes } from '../console/conversation/console-conversation.routes.ts';
import { conversationSearchRoutes } from '../console/conversations/conversation-search-page.routes.ts';
import { consoleFileRoutes } from '../console/files/console-files.routes.ts';
import { liveRoutes } from '../console/live/console-live.routes.ts';
import { overviewRoutes } from '../console/overview/console-overview.routes.ts';
import { systemRoutes } from '../console/system/console-system.routes.ts';
import { consoleToolRoutes } from '../console/tools/console-tools.routes.ts';
import { consoleVoiceRoutes } from '../console/voice/console-voice.routes.ts';
import { conversationRoutes } from '../conversations/conversations.routes.ts';
import { deskRoutes } from '../conversations/desk/desk.routes.ts';
import type { Database } from '../database/database.ts';
import { discoverRoutes } from '../discover/discover.routes.ts';
import { endUserRoutes } from '../end-users/end-users.routes.ts';
import { endUserErasureRoutes } from '../end-users/erasure/end-user-erasure.routes.ts';
import { evaluationRoutes } from '../evaluations/evaluations.routes.ts';
import { failedJobRoutes } from '../failed-jobs/failed-jobs.routes.ts';
import { createFailedJobService } from '../failed-jobs/failed-jobs.service.ts';
import { docsRoutes } from '../http/docs/docs-routes.ts';
import { healthRoutes } from '../http/health.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import type { SendList } from '../http/send-list.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { keyRoutes } from '../keys/keys.routes.ts';
import type { KeyService } from '../keys/keys.service.ts';
import { knowledgeRoutes } from '../knowledge/knowledge.routes.ts';
import { knowledgeOverviewRoutes } from '../knowledge/overview/knowledge-overview.routes.ts';
import { machineRoutes } from '../machines/machines.routes.ts';
import { accountRoutes } from '../members/accounts/accounts.routes.ts';
import { invitationRoutes } from '../members/invitations/invitations.routes.ts';
import { memberRoutes } from '../members/members.routes.ts';
import { teamRoutes } from '../members/team/team.routes.ts';
import { postCallHookRoutes } from '../post-call-hooks/post-call-hooks.routes.ts';
import { qualityRoutes } from '../quality/quality.routes.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { toolRoutes } from '../tools/tools.routes.ts';
import { turnRoutes } from '../turns/turns.routes.ts';
import { voiceCatalogRoutes } from '../voice/catalog/voice-catalog.routes.ts';
import { voiceNumberRoutes } from '../voice/numbers/phone-numbers.routes.ts';
import { outboundCallRoutes } from '../voice/outbound/outbound-calls.routes.ts';
import { twilioRoutes } from '../voice/transports/twilio/twilio.routes.ts';
import type { TwilioHooks } from '../voice/transports/twilio/twilio-transport.ts';
import { webVoiceRoutes } from '../voice/transports/web/web-voice.routes.ts';
import { webhookSecret } from '../webhooks/webhook-signature.ts';
import { widgetFileRoutes } from '../widgets/files/widget-files.routes.ts';
import { lookRoutes } from '../widgets/look/widget-look.routes.ts';
import { visitorRoutes } from '../widgets/visitor/widget-visitor.routes.ts';
import { widgetRoutes } from '../widgets/widgets.routes.ts';

type Needs<Routes extends (http: HttpApp, dependencies: never) => unknown> = Parameters<Routes>[1];

export type RouteDependencies = Needs<typeof healthRoutes> &
  Needs<typeof workspaceRoutes> &
  Needs<typeof memberRoutes> &
  Needs<typeof auditRoutes> &
  Needs<typeof accountRoutes> &
  Needs<typeof teamRoutes> &
  Needs<typeof invitationRoutes> &
  Needs<typeof qualityRoutes> &
  Needs<typeof systemRoutes> &
  Needs<typeof botRoutes> &
  Needs<typeof botVersionRoutes> &
  Needs<typeof postCallHookRoutes> &
  Needs<typeof voiceNumberRoutes> &
  Needs<typeof outboundCallRoutes> &
  Omit<Needs<typeof twilioRoutes>, 'twilio'> & { twilio: TwilioHooks | undefined } & Needs<
    typeof toolRoutes
  > &
  Needs<typeof knowledgeRoutes> &
  Needs<typeof knowledgeOverviewRoutes> &
  Needs<typeof consoleToolRoutes> &
  Needs<typeof machineRoutes> &
  Needs<typeof discoverRoutes> &
  Needs<typeof usageRoutes> &
  Needs<typeof conversationRoutes> &
  Needs<typeof consoleConversationRoutes> &
  Needs<typeof conversationSearchRoutes> &
  Needs<typeof overviewRoutes> &
  Needs<typeof liveRoutes> &
  Needs<typeof deskRoutes> &
  Needs<typeof endUserRoutes> &
  Needs<typeof endUserErasureRoutes> &
  Needs<typeof agentRoutes> &
  Needs<typeof scheduleRoutes> &
  Needs<typeof runHistoryRoutes> &
  Needs<typeof evaluationRoutes> &
  Needs<typeof approvalRoutes> &
  Needs<typeof approvalPageRoutes> &
  Needs<typeof widgetRoutes> &
  Needs<typeof lookRoutes> &
  Needs<typeof visitorRoutes> &
  Needs<typeof webVoiceRoutes> &
  Needs<typeof voiceCatalogRoutes> &
  Needs<typeof consoleBotRoutes> &
  Needs<typeof consoleVoiceRoutes> &
  Omit<Needs<typeof turnRoutes>, 'channel'>;

/** Every operation of the API, in the order of its document. Each feature takes what it needs from the dependencies. */
export async function registerRoutes(http: HttpApp, dependencies: RouteDependencies): Promise<void> {
  healthRoutes(http, dependencies);
  docsRoutes(http);
  memberRoutes(http, dependencies);
  accountRoutes(http, dependencies);
  teamRoutes(http, dependencies);
  invitationRoutes(http, dependencies);
  workspaceRoutes(http, dependencies);
  auditRoutes(http, dependencies);
  qualityRoutes(http, dependencies);
  systemRoutes(http, dependencies);
  botRoutes(http, dependencies);
  botVersionRoutes(http, dependencies);
  postCallHookRoutes(http, dependencies);
  voiceNumberRoutes(http, dependencies);
  outboundCallRoutes(http, dependencies);
  const { twilio } = dependencies;
  if (twilio) await twilioRoutes(http, { ...dependencies, twilio });
  toolRoutes(http, dependencies);
  await knowledgeRoutes(http, dependencies);
  knowledgeOverviewRoutes(http, dependencies);
  consoleToolRoutes(http, dependencies);
  machineRoutes(http, dependencies);
  await discoverRoutes(http, dependencies);
  usageRoutes(http, dependencies);
  conversationRoutes(http, dependencies);
  deskRoutes(http, dependencies);
  endUserRoutes(http, dependencies);
  endUserErasureRoutes(http, dependencies);
  agentRoutes(http, dependencies);
  scheduleRoutes(http, dependencies);
  runHistoryRoutes(http, dependencies);
  evaluationRoutes(http, dependencies);
  approvalRoutes(http, dependencies);
  await approvalPageRoutes(http, dependencies);
  turnRoutes(http, { ...dependencies, channel: 'chat' });
  widgetRoutes(http, dependencies);
  lookRoutes(http, dependencies);
  visitorRoutes(http, dependencies);
  webVoiceRoutes(http, dependencies);
  voiceCatalogRoutes(http, dependencies);
  overviewRoutes(http, dependencies);
  liveRoutes(http, dependencies);
  conversationSearchRoutes(http, dependencies);
  consoleConversationRoutes(http, dependencies);
  consoleBotRoutes(http, dependencies);
  consoleVoiceRoutes(http, dependencies);
  widgetFileRoutes(http);
  consoleFileRoutes(http);
  await http.ready();
}

interface WorkspaceRouteDependencies {
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
function workspaceRoutes(http: HttpApp, dependencies: WorkspaceRouteDependencies): void {
  const { database, jobs, box } = dependencies;
  keyRoutes(http, dependencies);
  failedJobRoutes(http, { ...dependencies, failedJobs: createFailedJobService({ database, jobs }) });
  botWebhookRoutes(http, { ...dependencies, secretOf: (botId) => webhookSecret(box, botId) });
}
