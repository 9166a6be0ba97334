import { live } from '../../events/event.ts';
import { createGrowingLru } from '../../lib/growing-lru.ts';
import type { Services } from '../../services.ts';
import type { WantedConversation } from '../conversations.service.ts';

export type TypingService = ReturnType<typeof createTyping>;

/** What each person types in a conversation is published at most this often. */
const everyMilliseconds = 2_000;
const maxRemembered = 10_000;
/** As long as the name of a message's author may be. */
const maxNameLength = 80;

/** Tells the readers of a conversation who is writing a message in it, while it waits for a person. Nothing of it is stored. */
export function createTyping({ conversations, feed }: Pick<Services, 'conversations' | 'feed'>) {
  /** The people who were noted just now, and where. */
  const noted = createGrowingLru<true>(maxRemembered, { ttl: everyMilliseconds });

  async function note(
    workspaceId: string,
    given: WantedConversation,
    { memberId, ...data }: { role: 'user' | 'operator'; author_name: string | null; memberId?: string },
  ): Promise<void> {
    // However it is written, it is the same conversation.
    const wanted = { ...given, conversation_id: given.conversation_id.toLowerCase() };
    const key = JSON.stringify([workspaceId, wanted, memberId]);
    if (noted.has(key)) return;
    const row = await conversations.getWanted(workspaceId, wanted);
    // The same person may have been noted meanwhile.
    if (noted.has(key)) return;
    noted.set(key, true);
    if (row.handoffRequestedAt !== null) feed.publish(row.id, [live(null, { type: 'message.typing', data })]);
  }

  return {
    /** Throws NOT_FOUND unless the caller may see the conversation. */
    byUser: (workspaceId: string, wanted: WantedConversation): Promise<void> =>
      note(workspaceId, wanted, { role: 'user', author_name: null }),

    /** A member writes a reply to the user, who is told their name. */
    byMember: (workspaceId: string, conversationId: string, member: { id: string; name: string }) =>
      note(
        workspaceId,
        { conversation_id: conversationId },
        { role: 'operator', author_name: member.name.slice(0, maxNameLength), memberId: member.id },
      ),
  };
}
