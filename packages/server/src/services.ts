import type { BotSettings } from '@svc/contract/bots';
import type { AgentService } from './agents/agents.service.ts';
import type { RunHistoryService } from './agents/history/run-history.service.ts';
import type { ScheduleService } from './agents/schedules/schedules.service.ts';
import type { ApprovalService } from './approvals/approvals.service.ts';
import type { ApprovalGrants } from './approvals/grants/approval-grants.service.ts';
import type { ToolGrants } from './approvals/grants/tool-grants.service.ts';
import type { ApprovalLinks } from './approvals/page/approval-links.ts';
import type { ApprovalResolver } from './approvals/resolver.ts';
import type { AuditService } from './audit/audit.service.ts';
import type { BillingService } from './billing/billing.service.ts';
import type { Spender } from './billing/spender.ts';
import type { BotService, PlanDefaultTools, RequireMachines } from './bots/bots.service.ts';
import type { DraftService } from './bots/drafts/drafts.service.ts';
import type { VoiceCheck } from './bots/settings-check.ts';
import type { BotVersionService } from './bots/versions/bot-versions.service.ts';
import type { Bus } from './bus/bus.ts';
import type { Config } from './config/config.ts';
import type { ConsoleBotService } from './console/bots/console-bots.service.ts';
import type { ConsoleConversationService } from './console/conversations/console-conversation.service.ts';
import type { FindService } from './console/find/console-find.service.ts';
import type { LiveService } from './console/live/console-live.service.ts';
import type { OverviewService } from './console/overview/console-overview.service.ts';
import type { SystemService } from './console/system/console-system.service.ts';
import type { ToolUseService } from './console/tools/console-tools.service.ts';
import type { ConsoleVoiceService } from './console/voice/console-voice.service.ts';
import type { AssigningService } from './conversations/assigning/assigning.service.ts';
import type { AttachmentService } from './conversations/attachments/attachments.service.ts';
import type { ConversationBranches } from './conversations/branches/branches.service.ts';
import type { CannedReplies } from './conversations/canned/canned-replies.service.ts';
import type { ConversationService } from './conversations/conversations.service.ts';
import type { ConversationCountService } from './conversations/counts/conversation-counts.service.ts';
import type { ConversationDesk, StopTurn } from './conversations/desk/desk.service.ts';
import type { EndUserDetailsService } from './conversations/details/end-user-details.service.ts';
import type { EndUserView } from './conversations/end-user-view/end-user-view.service.ts';
import type { ConversationErasure } from './conversations/erasure/conversation-erasure.service.ts';
import type { MessageRatings } from './conversations/rating/message-rating.service.ts';
import type { ConversationReview } from './conversations/review/conversation-review.service.ts';
import type { ConversationSearch } from './conversations/search/conversation-search.service.ts';
import type { TraceService } from './conversations/tracing/tracing.service.ts';
import type { TypingService } from './conversations/typing/typing.service.ts';
import type { ConversationViews } from './conversations/views/conversation-views.service.ts';
import type { Database } from './database/database.ts';
import type { DiscoverService } from './discover/discover.service.ts';
import type { GuardedLane } from './egress/guarded-lane.ts';
import type { SendMail } from './egress/mailer.ts';
import type { TrustedLane } from './egress/trusted-lane.ts';
import type { EndUserService } from './end-users/end-users.service.ts';
import type { EndUserErasure } from './end-users/erasure/end-user-erasure.service.ts';
import type { EndUserExport } from './end-users/export/end-user-export.service.ts';
import type { EvaluationService } from './evaluations/evaluations.service.ts';
import type { ConversationFeed } from './events/conversation-feed.ts';
import type { FollowDependencies } from './events/follow-conversation.ts';
import type { NoteChange } from './events/workspace-changes.ts';
import type { FailedJobService } from './failed-jobs/failed-jobs.service.ts';
import type { FileService } from './files/files.service.ts';
import type { ConcurrencyLimits } from './http/concurrency-limits.ts';
import type { ConversationStreams } from './http/conversation-streams.ts';
import type { MessageCaps } from './http/end-user.ts';
import type { EventStreams } from './http/event-streams.ts';
import type { HttpApp } from './http/http-app.ts';
import type { Idempotent } from './http/idempotency.ts';
import type { SendDownload } from './http/send-download.ts';
import type { SendList } from './http/send-list.ts';
import type { SendStream } from './http/send-stream.ts';
import type { WatchKey } from './http/watch-key.ts';
import type { OpenWebSockets } from './http/web-sockets.ts';
import type { IdempotencyService } from './idempotency/idempotency.service.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { KeyCache } from './keys/key-cache.ts';
import type { KeyService } from './keys/keys.service.ts';
import type { Extractor } from './knowledge/extraction/extract.ts';
import type { KnowledgeService } from './knowledge/knowledge.service.ts';
import type { KnowledgeOverviewService } from './knowledge/overview/knowledge-overview.service.ts';
import type { QuestionService } from './knowledge/questions/knowledge-questions.service.ts';
import type { LegalHoldService } from './legal-holds/legal-holds.service.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import type { RevocableCache } from './lib/revocable-cache.ts';
import type { InProgress } from './limits/in-progress.ts';
import type { MessageCounter } from './limits/message-counter.ts';
import type { RequestLimits } from './limits/request-limits.ts';
import type { MachineService } from './machines/machines.service.ts';
import type { AccountService } from './members/accounts/accounts.service.ts';
import type { InvitationService } from './members/invitations/invitations.service.ts';
import type { MemberService } from './members/members.service.ts';
import type { TeamService } from './members/team/team.service.ts';
import type { InstallationFigures } from './metrics/installation-figures.ts';
import type { Meters } from './metrics/meters.ts';
import type { RecentFailures } from './metrics/recent-failures.ts';
import type { ModelRegistry } from './models/model-registry.ts';
import type { ProviderObserver } from './models/providers/provider-observer.ts';
import type { NodeCommands } from './nodes/node-commands.ts';
import type { Presence } from './nodes/presence.ts';
import type { PostCallHookService } from './post-call-hooks/post-call-hooks.service.ts';
import type { QualityService } from './quality/quality.service.ts';
import type { RetentionService } from './retention/retention.service.ts';
import type { RunService } from './runs/runs.service.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { ToolRegistry } from './tools/tool-registry.ts';
import type { ToolService } from './tools/tools.service.ts';
import type { McpSessions } from './tools/types/mcp/mcp-sessions.ts';
import type { TurnService } from './turns/turns.service.ts';
import type { VoiceCatalog } from './voice/catalog/voice-catalog.ts';
import type { VoiceSamples } from './voice/catalog/voice-samples.ts';
import type { LiveCalls } from './voice/exchange/live-calls.ts';
import type { VoiceNumberService } from './voice/numbers/phone-numbers.service.ts';
import type { Dialing } from './voice/outbound/dialing.ts';
import type { OutboundCallService } from './voice/outbound/outbound-calls.service.ts';
import type { WebVoiceService } from './voice/transports/web/web-voice.service.ts';
import type { CallRecordings } from './voice-calls/recordings/call-recordings.service.ts';
import type { RecordingMover } from './voice-calls/recordings/move-recording.ts';
import type { CallRecords } from './voice-calls/records/call-records.service.ts';
import type { VoiceCallService } from './voice-calls/voice-calls.service.ts';
import type { SendWebhook } from './webhooks/send-webhook.ts';
import type { CustomizationService } from './widgets/customization/widget-customization.service.ts';
import type { Avatars } from './widgets/look/avatars.ts';
import type { VisitorService } from './widgets/visitor/widget-visitor.service.ts';
import type { WidgetService } from './widgets/widgets.service.ts';
import type { WorkspaceService } from './workspaces/workspaces.service.ts';

/** What every feature stands on: it is opened first. */
export interface Ground {
  config: Config;
  database: Database;
  log: Log;
  clock: Clock;
  nodeId: string;
  publicUrl: string;
  box: SecretBox;
  bus: Bus;
  nodeCommands: NodeCommands;
  presence: Presence;
  jobs: Jobs;
  feed: ConversationFeed;
  noteChange: NoteChange;
  lane: TrustedLane;
  guardedLane: GuardedLane;
  sendMail: SendMail | undefined;
  sendWebhook: SendWebhook;
  mcpSessions: McpSessions;
  models: ModelRegistry;
  providerObserver: ProviderObserver;
  meters: Meters;
  recentFailures: RecentFailures;
  telemetry: Telemetry;
  inProgress: InProgress;
  idempotency: IdempotencyService;
}

/**
 * Everything that app.ts wires together, by the name it has everywhere. A function takes the part that it works with:
 * `Pick<Services, 'database' | 'bots'>`. A feature takes only what stands below it, which the house rules check.
 */
export interface Services extends Ground {
  installationFigures: InstallationFigures;
  limits: RequestLimits;
  messageCounter: MessageCounter;

  // The features, lowest first.
  audit: AuditService;
  files: FileService;
  legalHolds: LegalHoldService;
  workspaces: WorkspaceService;
  billing: BillingService;
  spender: Spender;
  /** The workspace's credit; null where it is unlimited. */
  creditOf: (workspaceId: string) => Promise<string | null>;
  keys: KeyService;
  keyCache: KeyCache;
  failedJobs: FailedJobService;
  members: MemberService;
  accounts: AccountService;
  team: TeamService;
  invitations: InvitationService;
  bots: BotService;
  requireMachines: RequireMachines;
  stopTurn: StopTurn;
  planDefaultTools: PlanDefaultTools;
  voices: VoiceCheck;
  drafts: DraftService;
  versions: BotVersionService;
  knowledge: KnowledgeService;
  knowledgeOverview: KnowledgeOverviewService;
  questions: QuestionService;
  readDocument: Extractor['extract'];
  machines: MachineService;
  registry: ToolRegistry;
  tools: ToolService;
  discover: DiscoverService;
  hooks: PostCallHookService;
  runs: RunService;
  voiceCalls: VoiceCallService;
  callRecords: CallRecords;
  callRecordings: CallRecordings;
  recordingMover: RecordingMover;
  conversations: ConversationService;
  branches: ConversationBranches;
  desk: ConversationDesk;
  assigning: AssigningService;
  attachments: AttachmentService;
  cannedReplies: CannedReplies;
  conversationViews: ConversationViews;
  messageRatings: MessageRatings;
  typing: TypingService;
  endUserDetails: EndUserDetailsService;
  endUserView: EndUserView;
  erasure: ConversationErasure;
  conversationCounts: ConversationCountService;
  conversationReview: ConversationReview;
  conversationSearch: ConversationSearch;
  traces: TraceService;
  approvalGrants: ApprovalGrants;
  toolGrants: ToolGrants;
  approvals: ApprovalService;
  resolver: ApprovalResolver;
  links: ApprovalLinks;
  turns: TurnService;
  /** What is needed to follow a conversation. */
  reading: FollowDependencies;
  endUsers: EndUserService;
  endUserErasure: EndUserErasure;
  endUserExport: EndUserExport;
  retention: RetentionService;
  caps: MessageCaps;
  agents: AgentService;
  schedules: ScheduleService;
  runHistory: RunHistoryService;
  quality: QualityService;
  evaluations: EvaluationService;
  widgets: WidgetService;
  widgetKeyCache: Pick<RevocableCache<object>, 'forget'>;
  customizations: CustomizationService;
  avatars: Avatars;
  visitors: VisitorService;
  liveCalls: LiveCalls;
  /** True, or why a bot cannot hear or speak. */
  isVoiceAvailable: (settings: BotSettings) => true | string;
  voiceNumbers: VoiceNumberService;
  outboundCalls: OutboundCallService;
  dialing: Dialing;
  voiceCatalog: VoiceCatalog;
  voiceSamples: VoiceSamples;
  webVoice: WebVoiceService;

  // What only the console needs.
  consoleBots: ConsoleBotService;
  consoleConversation: ConsoleConversationService;
  consoleVoice: ConsoleVoiceService;
  finder: FindService;
  live: LiveService;
  overview: OverviewService;
  system: SystemService;
  toolUses: ToolUseService;

  // What routes answer with.
  conversationStreams: ConversationStreams;
  idempotent: Idempotent;
  openWebSockets: OpenWebSockets;
  concurrencyLimits: ConcurrencyLimits;
  sendDownload: SendDownload;
  sendList: SendList;
  sendStream: SendStream;
  streams: EventStreams;
  watchKey: WatchKey;
}

/** What a feature adds to the service. */
export interface Feature<Provided = Partial<Services>> {
  /** What its routes and the features above it work with. */
  services: Provided;
  routes?: readonly Routes[];
  /** Handlers of PostgreSQL's notifications, by channel. */
  notifications?: Readonly<Record<string, (payload: string) => void>>;
  /** Called when notifications start or stop arriving. */
  setListening?(isListening: boolean): void;
  rounds?: readonly Round[];
  /** Called before the service says that it is ready, when jobs have started. */
  start?(): Promise<void>;
  /** Called when the node stops: ends or hands over what is in progress. */
  stop?(graceMilliseconds: number): Promise<void> | void;
  /** Called when everything has stopped. */
  close?(): Promise<void>;
}

/** Adds operations to the API. */
export type Routes = (http: HttpApp, services: Services) => void | Promise<void>;

/** What a node does periodically. */
export interface Round {
  name: string;
  everyMilliseconds: number;
  work(): Promise<void>;
  /** It takes over what a node left behind, so it also runs when one is announced as gone. */
  takesOver?: boolean;
}
