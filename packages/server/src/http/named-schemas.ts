import { TriggeredRun } from '@svc/contract/agents';
import { ApprovalGrant } from '@svc/contract/approval-grants';
import { Approval, ApprovalDetail } from '@svc/contract/approvals';
import { AuditEntry } from '@svc/contract/audit';
import { BotVersion, BotVersionDetail } from '@svc/contract/bot-versions';
import { Bot } from '@svc/contract/bots';
import { Branch } from '@svc/contract/branches';
import { CannedReply } from '@svc/contract/canned-replies';
import { ChatStats } from '@svc/contract/chat';
import { ErrorBody } from '@svc/contract/common';
import { BotQuestions, ConsoleBot, ConsoleModels } from '@svc/contract/console-bots';
import { ConsoleConversation, ConsoleTrace } from '@svc/contract/console-conversation';
import { FoundObject, ListedConversation, Overview } from '@svc/contract/console-conversations';
import {
  ExplainedSearch,
  KnowledgeOverview,
  KnowledgeSource,
  SourcePassages,
} from '@svc/contract/console-knowledge';
import { QualityReport, ReviewedReply } from '@svc/contract/console-quality';
import {
  ConsoleSession,
  ConsoleWorkspace,
  Invitation,
  Member,
  MemberHolding,
  NewInvitation,
} from '@svc/contract/console-session';
import { SystemFigures, SystemReport } from '@svc/contract/console-system';
import { OfferedFunction, ToolUse } from '@svc/contract/console-tools';
import { VoiceReport } from '@svc/contract/console-voice';
import { ConversationView } from '@svc/contract/conversation-views';
import { Conversation, ConversationDetail, ConversationMessage, Trace } from '@svc/contract/conversations';
import { BotDiscoverEvent, ToolDiscoverEvent } from '@svc/contract/discover';
import { EndUserDetails } from '@svc/contract/end-user-details';
import { EndUserLoggedEvent, EndUserStreamedEvent } from '@svc/contract/end-user-events';
import { EndUserConversation, EndUserConversationDetail, EndUserToken } from '@svc/contract/end-users';
import { Evaluation, EvaluationDetail } from '@svc/contract/evaluations';
import { LoggedEvent, StreamedEvent } from '@svc/contract/events';
import { InboxSettings } from '@svc/contract/inbox';
import { FailedJob } from '@svc/contract/jobs';
import { AccountKey, CreatedAccountKey } from '@svc/contract/keys';
import {
  FoundPassage,
  Knowledge,
  KnowledgeRefusal,
  KnowledgeStats,
  UploadOutcome,
} from '@svc/contract/knowledge';
import { LegalHold } from '@svc/contract/legal-holds';
import { Machine, PairedMachine } from '@svc/contract/machines';
import { PostCallHook } from '@svc/contract/post-call-hooks';
import { Retention, RetentionPreview } from '@svc/contract/retention';
import { AgentOverview, RunCalendar, RunEntry } from '@svc/contract/run-history';
import { Scenario, ScenarioDraft } from '@svc/contract/scenarios';
import { AgentSchedule, SchedulePreview } from '@svc/contract/schedules';
import { ToolGrant } from '@svc/contract/tool-grants';
import { CatalogEntry, Tool, ToolAssignment, ToolTestResult } from '@svc/contract/tools';
import { Truncated } from '@svc/contract/truncate';
import { UsageReport } from '@svc/contract/usage';
import { VoiceNumber } from '@svc/contract/voice-numbers';
import { VisitorVoiceUsage, VoiceSession, VoiceUsage } from '@svc/contract/voice-sessions';
import { VisitorToken, WidgetLook } from '@svc/contract/widget-visitor';
import {
  EmbedCode,
  IdentitySecret,
  WidgetCustomization,
  WidgetKey,
  WidgetSummary,
} from '@svc/contract/widgets';

/** The schemas with their own name in the OpenAPI document. Named schemas inside these need not be listed. */
const roots = [
  ErrorBody,
  Bot,
  BotVersion,
  BotVersionDetail,
  PostCallHook,
  VoiceNumber,
  ConversationMessage,
  Conversation,
  ConversationDetail,
  ListedConversation,
  Overview,
  FoundObject,
  Trace,
  Truncated,
  LoggedEvent,
  StreamedEvent,
  EndUserToken,
  EndUserDetails,
  EndUserConversation,
  EndUserConversationDetail,
  EndUserLoggedEvent,
  EndUserStreamedEvent,
  ChatStats,
  Tool,
  CatalogEntry,
  ToolAssignment,
  ToolTestResult,
  ToolDiscoverEvent,
  BotDiscoverEvent,
  Approval,
  ApprovalDetail,
  ApprovalGrant,
  AgentSchedule,
  SchedulePreview,
  RunEntry,
  AgentOverview,
  RunCalendar,
  Scenario,
  ScenarioDraft,
  Evaluation,
  EvaluationDetail,
  Machine,
  PairedMachine,
  Knowledge,
  FoundPassage,
  KnowledgeStats,
  UploadOutcome,
  KnowledgeRefusal,
  TriggeredRun,
  UsageReport,
  AccountKey,
  CreatedAccountKey,
  FailedJob,
  AuditEntry,
  Branch,
  CannedReply,
  ConversationView,
  LegalHold,
  ToolGrant,
  InboxSettings,
  Retention,
  RetentionPreview,
  WidgetKey,
  IdentitySecret,
  WidgetSummary,
  WidgetCustomization,
  EmbedCode,
  WidgetLook,
  VisitorToken,
  VoiceSession,
  VoiceUsage,
  VisitorVoiceUsage,
  ConsoleBot,
  ConsoleModels,
  BotQuestions,
  QualityReport,
  ReviewedReply,
  SystemFigures,
  SystemReport,
  ConsoleSession,
  ConsoleConversation,
  ConsoleTrace,
  ConsoleWorkspace,
  Member,
  MemberHolding,
  Invitation,
  NewInvitation,
  KnowledgeSource,
  KnowledgeOverview,
  SourcePassages,
  ExplainedSearch,
  OfferedFunction,
  ToolUse,
  VoiceReport,
];

type Named = object & { $id: string };

/** Each schema that has a name, referring to the others by theirs, so that the document describes each only once. */
export const namedSchemas: Readonly<Record<string, Named>> = collectNamed();

function collectNamed(): Record<string, Named> {
  const found = new Map<string, Named>();
  for (const root of roots) collect(root, found);
  return Object.fromEntries(found);
}

function collect(value: unknown, found: Map<string, Named>): void {
  if (value === null || typeof value !== 'object') return;
  if (isNamed(value)) {
    if (found.has(value.$id)) return;
    found.set(value.$id, { ...withReferences({ ...value, $id: undefined }), $id: value.$id });
  }
  for (const entry of Object.values(value)) collect(entry, found);
}

/** The schema with a reference in place of every named schema in it. */
export function withReferences<Value>(value: Value): Value;
export function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => withReferences(entry));
  if (value === null || typeof value !== 'object') return value;
  if (isNamed(value)) return { $ref: `${value.$id}#` };
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withReferences(entry)]));
}

function isNamed(value: object): value is Named {
  return '$id' in value && typeof value.$id === 'string';
}
