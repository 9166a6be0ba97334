import type { Feature, Ground, Services } from '../services.ts';
import { consoleBotRoutes } from './bots/console-bots.routes.ts';
import { createConsoleBotService } from './bots/console-bots.service.ts';
import { consoleConversationRoutes } from './conversations/console-conversation.routes.ts';
import { createConsoleConversationService } from './conversations/console-conversation.service.ts';
import { conversationSearchRoutes } from './conversations/conversation-search-page.routes.ts';
import { consoleFileRoutes } from './files/console-files.routes.ts';
import { consoleRelease } from './files/console-release.ts';
import { createFindService } from './find/console-find.service.ts';
import { liveRoutes } from './live/console-live.routes.ts';
import { createLiveService } from './live/console-live.service.ts';
import { overviewRoutes } from './overview/console-overview.routes.ts';
import { createOverviewService } from './overview/console-overview.service.ts';
import { systemRoutes } from './system/console-system.routes.ts';
import { createSystemService, type SystemDependencies } from './system/console-system.service.ts';
import { consoleToolRoutes } from './tools/console-tools.routes.ts';
import { createToolUseService } from './tools/console-tools.service.ts';
import { consoleVoiceRoutes } from './voice/console-voice.routes.ts';
import { type ConsoleVoiceDependencies, createConsoleVoiceService } from './voice/console-voice.service.ts';

/** What only the console needs. */
export function openConsole(
  services: Ground &
    Pick<
      Services,
      | 'approvals'
      | 'assigning'
      | 'billing'
      | 'bots'
      | 'branches'
      | 'conversationCounts'
      | 'conversationReview'
      | 'conversations'
      | 'conversationSearch'
      | 'drafts'
      | 'failedJobs'
      | 'members'
      | 'quality'
      | 'reading'
      | 'traces'
      | 'turns'
      | 'typing'
      | 'workspaces'
    > &
    SystemDependencies &
    ConsoleVoiceDependencies,
) {
  const { conversationSearch: search, conversationReview: review, conversationCounts: counts } = services;
  const overview = createOverviewService({ ...services, search });
  const consoleBots = createConsoleBotService({ ...services, counts });
  const live = createLiveService({
    ...services,
    listConversations: search.listByIds,
    countWaiting: overview.countWaiting,
    release: consoleRelease,
  });
  const system = createSystemService(services);
  return {
    services: {
      consoleBots,
      consoleConversation: createConsoleConversationService({ ...services, review }),
      consoleVoice: createConsoleVoiceService(services),
      finder: createFindService(services),
      live,
      overview,
      system,
      toolUses: createToolUseService(services),
    },
    routes: [
      systemRoutes,
      consoleToolRoutes,
      overviewRoutes,
      liveRoutes,
      conversationSearchRoutes,
      consoleConversationRoutes,
      consoleBotRoutes,
      consoleVoiceRoutes,
      consoleFileRoutes,
    ],
    notifications: live.notifications,
    setListening: live.setListening,
    rounds: [{ name: 'drafts of bots', everyMilliseconds: 600_000, work: consoleBots.sweepDrafts }],
    async stop(): Promise<void> {
      system.stop();
      live.stop();
    },
  } satisfies Feature;
}
