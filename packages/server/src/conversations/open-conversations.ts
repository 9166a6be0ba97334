import type { Feature, Ground, Services } from '../services.ts';
import { cannedReplyRoutes } from './canned/canned-replies.routes.ts';
import { createCannedReplies } from './canned/canned-replies.service.ts';
import { conversationRoutes } from './conversations.routes.ts';
import { createConversationService } from './conversations.service.ts';
import { createConversationCounts } from './counts/conversation-counts.service.ts';
import { deskRoutes } from './desk/desk.routes.ts';
import { createConversationDesk } from './desk/desk.service.ts';
import { createEndUserView } from './end-user-view/end-user-view.service.ts';
import { createConversationErasure } from './erasure/conversation-erasure.service.ts';
import { createConversationReview } from './review/conversation-review.service.ts';
import { createConversationSearch } from './search/conversation-search.service.ts';
import { createTraceService } from './tracing/tracing.service.ts';

export function openConversations(
  services: Ground & Pick<Services, 'billing' | 'bots' | 'requireMachines' | 'runs' | 'voiceCalls'>,
) {
  const conversations = createConversationService(services);
  return {
    services: {
      conversations,
      desk: createConversationDesk(services),
      cannedReplies: createCannedReplies(services),
      endUserView: createEndUserView({ ...services, conversations }),
      erasure: createConversationErasure(services),
      conversationSearch: createConversationSearch(services),
      conversationReview: createConversationReview({ ...services, conversations }),
      conversationCounts: createConversationCounts(services),
    },
    routes: [conversationRoutes, deskRoutes, cannedReplyRoutes],
  } satisfies Feature;
}

/** Traces hide the secrets of tools and providers. */
export function openTraces(
  services: Pick<Services, 'config' | 'conversations' | 'database' | 'log' | 'tools'>,
): Feature<Pick<Services, 'traces'>> {
  const providerKeys = Object.values(services.config.providers).flatMap(({ apiKey }) => apiKey ?? []);
  return { services: { traces: createTraceService({ ...services, providerKeys }) } };
}
