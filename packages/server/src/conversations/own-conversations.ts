import type { Channel } from '@svc/contract/channels';
import type { SendMessage } from '@svc/contract/chat';
import type { ConversationQuery } from '@svc/contract/conversations';
import type { EndUserPrincipal } from '../http/end-user.ts';
import { AppError, notFound } from '../lib/app-error.ts';

/** Fields with which integrations control a turn. */
const ofIntegrations = ['metadata', 'code_machine_id', 'code_workdir', 'code_mode'] as const;

/** What a conversation must be for an end user to see it. */
export interface Ownership {
  external_user_id: string;
  channel: Channel;
  /** Of a token for one bot. */
  bot_id?: string;
}

/** A conversation that its own end user requests. */
export type OwnConversation = Ownership & { conversation_id: string };

/** The conversation that an end user requests, if it is theirs. */
export function ownConversation(
  endUser: EndUserPrincipal,
  { conversation_id, external_user_id }: { conversation_id: string; external_user_id?: string },
): OwnConversation {
  requireSelf(endUser, external_user_id);
  return { conversation_id, ...ownershipOf(endUser) };
}

/** The conversations that an end user lists, all of them theirs. */
export function ownConversations(
  endUser: EndUserPrincipal,
  query: ConversationQuery,
): ConversationQuery & Ownership {
  requireSelf(endUser, query.external_user_id);
  if (query.channel !== undefined && query.channel !== endUser.channel) throw forbidden('channel');
  const hidden = Object.keys(query).find(
    (name) => name.startsWith('metadata.') || ['assignee', 'state', 'rating'].includes(name),
  );
  if (hidden !== undefined) throw forbidden(hidden);
  requireBoundBot(endUser, query.bot_id);
  return { ...query, ...ownershipOf(endUser) };
}

/** The message of an end user, which can set nothing but its text and where it goes. */
export function ownMessage(
  endUser: EndUserPrincipal,
  message: SendMessage,
): SendMessage & { external_user_id: string } {
  requireSelf(endUser, message.external_user_id);
  for (const field of ofIntegrations) if (message[field] !== undefined) throw forbidden(field);
  requireBoundBot(endUser, message.bot_id);
  const { external_user_id, bot_id = message.bot_id } = ownershipOf(endUser);
  return { ...message, external_user_id, ...(bot_id !== undefined && { bot_id }) };
}

function ownershipOf({ externalUserId, channel, botId }: EndUserPrincipal): Ownership {
  return { external_user_id: externalUserId, channel, ...(botId !== null && { bot_id: botId }) };
}

/** To a token of one bot, the others do not exist. */
function requireBoundBot({ botId }: EndUserPrincipal, named: string | undefined): void {
  if (botId !== null && named !== undefined && named.toLowerCase() !== botId) throw notFound();
}

function requireSelf({ externalUserId }: EndUserPrincipal, named: string | undefined): void {
  if (named !== undefined && named !== externalUserId)
    throw forbidden('external_user_id', "must be the token's own user");
}

function forbidden(path: string, problem = 'cannot be used with an end-user token'): AppError {
  return new AppError('FORBIDDEN', {
    message: `${path} ${problem}.`,
    details: [{ path, message: problem }],
  });
}
