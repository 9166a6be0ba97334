/** Replies that were begun and not sent: one per conversation, the latest last. */
type Drafts = Record<string, string>;

const prefix = 'svc_drafts:';
/** Each can be as long as a message, and browsers keep five megabytes. */
const maxDrafts = 20;

/** What a member has begun to write in a conversation. It stays in this browser until it is sent, cleared or they sign out. */
export function replyDraft(userId: string, conversationId: string) {
  const name = prefix + userId;
  const read = (): Drafts => {
    try {
      return JSON.parse(localStorage.getItem(name) ?? '{}') as Drafts;
    } catch {
      // The browser gives nothing away, or something else has written it.
      return {};
    }
  };
  return {
    read: () => read()[conversationId] ?? '',
    write(text: string): void {
      const { [conversationId]: before = '', ...others } = read();
      if (text === before) return;
      const drafts = Object.entries(text === '' ? others : { ...others, [conversationId]: text });
      try {
        localStorage.setItem(name, JSON.stringify(Object.fromEntries(drafts.slice(-maxDrafts))));
      } catch {
        // The browser keeps nothing, or no more: the text stays in its field alone.
      }
    },
  };
}

/** Whoever uses the browser next must not read them: all are forgotten but those of the person who is signed in. */
export function forgetReplyDrafts(userId?: string): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(prefix) && name !== prefix + userId) localStorage.removeItem(name);
}
