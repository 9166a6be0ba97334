/** Replies that were begun and not sent: one per conversation, the latest last. */
type Drafts = Record<string, string>;

const prefix = 'svc_drafts:';
/** Each can be as long as a message, and browsers keep five megabytes. */
const maxDrafts = 20;

/** What a member has begun to write in a conversation. It stays in this browser until it is sent, cleared or they sign out. */
export function replyDraft(userId: string, conversationId: string) {
  const name = prefix + userId;
  const read = (): Drafts => JSON.parse(localStorage.getItem(name) ?? '{}') as Drafts;
  return {
    read: () => read()[conversationId] ?? '',
    write(text: string): void {
      const { [conversationId]: before = '', ...others } = read();
      if (text === before) return;
      const drafts = Object.entries(text === '' ? others : { ...others, [conversationId]: text });
      localStorage.setItem(name, JSON.stringify(Object.fromEntries(drafts.slice(-maxDrafts))));
    },
  };
}

/** Whoever uses the browser next must not read them. */
export function forgetReplyDrafts(): void {
  for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name);
}
