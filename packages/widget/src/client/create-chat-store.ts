import type { Identity } from '../protocol.ts';
import type { ChatState, ChatStore } from './chat-state.ts';
import { browserPage, type Page } from './page.ts';
import { createVisitorChat, type VisitorChat } from './visitor-chat.ts';

export interface ChatStoreOptions {
  /** The origin of the service, such as `https://agents.example.com`. */
  service: string;
  /** The widget key of the page. */
  key: string;
  /** Undefined where the page's storage is blocked. */
  storage: Storage | undefined;
  page?: Page;
  fetch?: typeof fetch;
  /** Multiplies all waiting times. */
  pace?: number;
}

/** The conversation of this page's visitor. Nothing is requested before there is something to show or to send. */
export function createChatStore(options: ChatStoreOptions): ChatStore {
  const { page = browserPage, pace = 1 } = options;
  const listeners = new Set<() => void>();
  let state: ChatState | undefined;
  let userId: string | undefined;
  let isOpen = false;
  let isScheduled = false;
  let isClosed = false;
  let hasWarned = false;
  let chat = begin(null);

  function begin(identity: Identity | null): VisitorChat {
    const fetcher: typeof fetch = options.fetch ?? ((...request) => fetch(...request));
    return createVisitorChat({ ...options, page, pace, fetch: fetcher, identity, onChange, onBlocked });
  }

  function onChange(): void {
    state = undefined;
    if (isScheduled) return;
    isScheduled = true;
    page.nextFrame(() => {
      isScheduled = false;
      if (!isClosed) for (const listener of listeners) listener();
    });
  }

  function onBlocked(reason: string): void {
    if (hasWarned) return;
    hasWarned = true;
    // oxlint-disable-next-line no-console -- the site's developer looks there
    console.warn(`Chat blocked: check allowed_domains. ${reason}`);
  }

  return {
    get: () => (state ??= chat.state()),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send: (...message) => chat.send(...message),
    retry: () => chat.retry(),
    stop: () => chat.stop(),
    noteTyping: () => chat.noteTyping(),
    startNewConversation: () => chat.show(),
    show: (id) => chat.show(id),
    giveDetails: (details) => chat.giveDetails(details),
    identify(user) {
      if (user?.user_id === userId) return chat.renewIdentity(user);
      const { asked, given, unsent } = chat.forget();
      chat.close();
      chat = begin(user && { user_id: user.user_id, user_hash: user.user_hash });
      // What was written before signing in is from the same person.
      if (!userId) {
        if (asked) chat.giveDetails(given);
        for (const text of unsent) chat.send(text);
      }
      userId = user?.user_id;
      chat.setOpen(isOpen);
    },
    setOpen(value) {
      isOpen = value;
      chat.setOpen(value);
    },
    call: (...request) => chat.call(...request),
    close() {
      isClosed = true;
      chat.close();
    },
  };
}
