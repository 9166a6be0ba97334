import { createDraftService, type DraftDependencies } from '../bots/drafts/drafts.service.ts';
import {
  type ConsoleBotDependencies,
  createConsoleBotService,
} from '../console/bots/console-bots.service.ts';
import {
  type ConsoleConversationDependencies,
  createConsoleConversationService,
} from '../console/conversation/console-conversation.service.ts';
import { consoleRelease } from '../console/files/console-release.ts';
import { createFindService } from '../console/find/console-find.service.ts';
import { createLiveService, type LiveDependencies } from '../console/live/console-live.service.ts';
import {
  createOverviewService,
  type OverviewDependencies,
} from '../console/overview/console-overview.service.ts';
import { createSystemService, type SystemDependencies } from '../console/system/console-system.service.ts';
import { createToolUseService } from '../console/tools/console-tools.service.ts';
import {
  type ConsoleVoiceDependencies,
  createConsoleVoiceService,
} from '../console/voice/console-voice.service.ts';
import { createConversationCounts } from '../conversations/counts/conversation-counts.service.ts';
import {
  type ConversationReviewDependencies,
  createConversationReview,
} from '../conversations/review/conversation-review.service.ts';
import {
  type ConversationSearchDependencies,
  createConversationSearch,
} from '../conversations/search/conversation-search.service.ts';
import { createFailedJobService, type FailedJobDependencies } from '../failed-jobs/failed-jobs.service.ts';
import { createQuestionService } from '../knowledge/questions/knowledge-questions.service.ts';

export type OpenConsoleOptions = ConversationReviewDependencies &
  ConversationSearchDependencies &
  Omit<OverviewDependencies, 'search' | 'failedJobs'> &
  FailedJobDependencies &
  Omit<LiveDependencies, 'listConversations' | 'countWaiting' | 'release'> &
  Omit<ConsoleConversationDependencies, 'review'> &
  Omit<ConsoleBotDependencies, 'counts' | 'drafts'> &
  DraftDependencies &
  SystemDependencies &
  ConsoleVoiceDependencies;

/** Wires what only the console needs. */
export function openConsole(options: OpenConsoleOptions) {
  const review = createConversationReview(options);
  const search = createConversationSearch(options);
  const counts = createConversationCounts(options);
  const drafts = createDraftService(options);
  const failedJobs = createFailedJobService(options);
  const overview = createOverviewService({ ...options, search, failedJobs });
  return {
    consoleConversation: createConsoleConversationService({ ...options, review }),
    conversationSearch: search,
    consoleBots: createConsoleBotService({ ...options, counts, drafts }),
    drafts,
    questions: createQuestionService(options),
    toolUses: createToolUseService(options),
    system: createSystemService(options),
    consoleVoice: createConsoleVoiceService(options),
    overview,
    finder: createFindService(options),
    live: createLiveService({
      ...options,
      listConversations: search.listByIds,
      countWaiting: overview.countWaiting,
      release: consoleRelease,
    }),
  };
}
