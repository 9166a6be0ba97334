import type { Identity } from '../protocol.ts';
import type { ChatState, ChatStore } from './chat-state.ts';
import { browserPage, type Page } from './page.ts';
import { createSession, type Session } from './session.ts';

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
  let session = begin(null);

  function begin(identity: Identity | null): Session {
    const fetcher: typeof fetch = options.fetch ?? ((...request) => fetch(...request));
    return createSession({ ...options, page, pace, fetch: fetcher, identity, onChange, onBlocked });
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
    console.warn(`Chat blocked: check its key and allowed_domains. ${reason}`);
  }

  return {
    get: () => (state ??= session.state()),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send: (text) => session.send(text),
    retry: () => session.retry(),
    stop: () => session.stop(),
    startNewConversation: () => session.startNewConversation(),
    identify(user) {
      if (user?.user_id === userId) return session.renewIdentity(user);
      const unsent = session.forget();
      session.close();
      session = begin(user && { user_id: user.user_id, user_hash: user.user_hash });
      // What was written before signing in is from the same person.
      if (!userId) for (const text of unsent) session.send(text);
      userId = user?.user_id;
      session.setOpen(isOpen);
    },
    setOpen(value) {
      isOpen = value;
      session.setOpen(value);
    },
    call: (...request) => session.call(...request),
    close() {
      isClosed = true;
      session.close();
    },
  };
}
