import type { Attachment } from '@svc/contract/attachments';
import type { VisitorDetails } from '@svc/contract/end-user-details';
import type { VisitorMessage } from '@svc/contract/end-users';

/** What a message can have besides its text. */
export interface MessageExtras {
  attachments?: Attachment[] | undefined;
  /** The stored message in whose place it goes. */
  replaces?: string | undefined;
}

/** A message that the service has not confirmed yet. */
export interface UnsentMessage extends MessageExtras {
  /** Its Idempotency-Key. */
  id: string;
  text: string;
  createdAt: string;
  /** The request that may have been carried out: a repeat must be the same. Undefined if it certainly was not. */
  body?: VisitorMessage | undefined;
  /** The last message of the conversation when that was first sent. */
  after?: string | undefined;
  /** The conversation that it was written in, or `new`; undefined if that was not known. */
  place?: string | undefined;
}

/** What is kept for a visitor from one page to the next. */
export interface Saved {
  token?: string | undefined;
  renewal?: string | undefined;
  conversationId?: string | undefined;
  /** The last message that was shown. */
  seen?: string | undefined;
  /** What was awaited when the page was left: a message of the bot or of a person, or that the visitor reads one. */
  expects?: 'bot' | 'person' | 'visitor' | undefined;
  /** When the last message of the conversation was written. */
  lastAt?: string | undefined;
  /** The message after which the bot answers again, if that was noticed. */
  returned?: string | undefined;
  unsent?: Record<string, UnsentMessage>;
  /** The visitor was asked who they are. */
  asked?: boolean;
  /** What they have answered and the service does not have yet. */
  given?: Pick<VisitorDetails, 'name' | 'email'> | undefined;
}

export interface SavedState {
  get(): Saved;
  set(changes: Saved): void;
  clear(): void;
}

/** In the page's storage, or in memory where that is blocked or full. Read every time, because other tabs write it too. */
export function createSavedState(storage: Storage | undefined, name: string): SavedState {
  let memory: string | null = null;
  let isBroken = !storage;

  function attempt<Result>(work: (storage: Storage) => Result): Result | undefined {
    try {
      return storage && work(storage);
    } catch {
      // Blocked or full.
      isBroken = true;
      return undefined;
    }
  }

  function get(): Saved {
    const stored = isBroken ? memory : attempt((open) => open.getItem(name));
    try {
      // Something else may have written there.
      return Object(JSON.parse(stored ?? '{}')) as Saved;
    } catch {
      // Not even JSON.
      return {};
    }
  }

  function put(text: string | null): void {
    memory = text;
    attempt((open) => (text === null ? open.removeItem(name) : open.setItem(name, text)));
  }

  return {
    get,
    set: (changes) => put(JSON.stringify({ ...get(), ...changes })),
    clear: () => put(null),
  };
}
