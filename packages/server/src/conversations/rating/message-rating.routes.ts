import { RateMessage } from '@svc/contract/chat';
import { Message, Strict, Uuid } from '@svc/contract/common';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operation } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { ownConversation } from '../own-conversations.ts';

export function messageRatingRoutes(
  app: HttpApp,
  { messageRatings }: Pick<Services, 'messageRatings'>,
): void {
  app.put(
    '/api/v1/conversations/:id/messages/:message_id/rating',
    operation({
      ability: 'chat:write',
      tag: 'Conversations',
      id: 'rateMessage',
      summary: 'Rate an answer of the bot for its user',
      description:
        'The latest rating counts; null takes it back. With `down` the user can say what was wrong, which only the team sees. Readers of the conversation get `message.rated`.',
      // Members are not the user.
      noSession: true,
      endUsers: true,
      schema: {
        params: Strict({ id: Uuid, message_id: Uuid }),
        body: RateMessage,
        response: { 200: Message },
      },
      errors: ['NOT_FOUND'],
      bodyLimit: 16 * 1024,
    }),
    async (request) => {
      const { endUser, params, body } = request;
      const place = { conversation_id: params.id };
      await messageRatings.rate(workspaceOf(request), endUser ? ownConversation(endUser, place) : place, {
        messageId: params.message_id,
        ...body,
      });
      return { message: 'The rating was saved.' };
    },
  );
}
