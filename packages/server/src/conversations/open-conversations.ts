import type { Feature, Ground, Services } from '../services.ts';
import { assigningRoutes } from './assigning/assigning.routes.ts';
import { createAssigning } from './assigning/assigning.service.ts';
import { attachmentRoutes } from './attachments/attachments.routes.ts';
import { createAttachments } from './attachments/attachments.service.ts';
import { createConversationBranches } from './branches/branches.service.ts';
import { cannedReplyRoutes } from './canned/canned-replies.routes.ts';
import { createCannedReplies } from './canned/canned-replies.service.ts';
import { conversationRoutes } from './conversations.routes.ts';
import { createConversationService } from './conversations.service.ts';
import { createConversationCounts } from './counts/conversation-counts.service.ts';
import { deskRoutes } from './desk/desk.routes.ts';
import { createConversationDesk } from './desk/desk.service.ts';
import { endUserDetailRoutes } from './details/end-user-details.routes.ts';
import { createEndUserDetails } from './details/end-user-details.service.ts';
import { createEndUserView } from './end-user-view/end-user-view.service.ts';
import { createConversationErasure } from './erasure/conversation-erasure.service.ts';
import { messageRatingRoutes } from './rating/message-rating.routes.ts';
import { createMessageRatings } from './rating/message-rating.service.ts';
import { createConversationReview } from './review/conversation-review.service.ts';
import { createConversationSearch } from './search/conversation-search.service.ts';
import { createTraceService } from './tracing/tracing.service.ts';
import { typingRoutes } from './typing/typing.routes.ts';
import { createTyping } from './typing/typing.service.ts';
import { conversationViewRoutes } from './views/conversation-views.routes.ts';
import { createConversationViews } from './views/conversation-views.service.ts';

export function openConversations(
  services: Ground &
    Pick<Services, 'billing' | 'bots' | 'files' | 'readDocument' | 'requireMachines' | 'runs' | 'voiceCalls'>,
) {
  const conversations = createConversationService(services);
  const attachments = createAttachments({ ...services, conversations });
  return {
    services: {
      conversations,
      attachments,
      branches: createConversationBranches(services),
      desk: createConversationDesk(services),
      assigning: createAssigning(services),
      cannedReplies: createCannedReplies(services),
      conversationViews: createConversationViews(services),
      messageRatings: createMessageRatings({ ...services, conversations }),
      typing: createTyping({ ...services, conversations }),
      endUserDetails: createEndUserDetails(services),
      endUserView: createEndUserView({ ...services, conversations }),
      erasure: createConversationErasure(services),
      conversationSearch: createConversationSearch(services),
      conversationReview: createConversationReview({ ...services, conversations }),
      conversationCounts: createConversationCounts(services),
    },
    routes: [
      conversationRoutes,
      attachmentRoutes,
      deskRoutes,
      typingRoutes,
      messageRatingRoutes,
      assigningRoutes,
      cannedReplyRoutes,
      conversationViewRoutes,
      endUserDetailRoutes,
    ],
    rounds: [{ name: 'files that were not sent', everyMilliseconds: 3_600_000, work: attachments.sweep }],
  } satisfies Feature;
}

/** Traces hide the secrets of tools and providers. */
export function openTraces(
  services: Pick<Services, 'config' | 'conversations' | 'database' | 'log' | 'tools'>,
): Feature<Pick<Services, 'traces'>> {
  const providerKeys = Object.values(services.config.providers).flatMap(({ apiKey }) => apiKey ?? []);
  return { services: { traces: createTraceService({ ...services, providerKeys }) } };
}
