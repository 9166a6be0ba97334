import { type LiveRequest, type Looker, lookMilliseconds, typingMilliseconds } from '@svc/contract/live';

/** Shows who else has a conversation open. */
type ShowLookers = (lookers: readonly Looker[]) => void;

export interface Look {
  /** The member writes a reply to the user, or has stopped. */
  type(isTyping: boolean): void;
  end(): void;
}

interface Current {
  conversationId: string;
  show: ShowLookers;
  /** When the member last typed. */
  typedAt: number;
  /** When the service was last told that they type. */
  toldAt: number;
}

const never = Number.NEGATIVE_INFINITY;

/** Tells the service which conversation the member has open, as long as the page is visible, and learns who else does. */
export function createLooking(send: (request: LiveRequest) => void) {
  let current: Current | undefined;
  /** The node that this console is connected to takes it. */
  let isTaken = false;
  let timer: ReturnType<typeof setInterval> | undefined;

  function tell(): void {
    if (!current || !isTaken || document.visibilityState !== 'visible') return;
    const now = performance.now();
    const isTyping = now - current.typedAt < typingMilliseconds;
    current.toldAt = isTyping ? now : never;
    send({ type: 'look', conversation_id: current.conversationId, is_typing: isTyping });
  }

  return {
    /** One conversation at a time. It must be followed. */
    look(conversationId: string, show: ShowLookers): Look {
      const own: Current = { conversationId, show, typedAt: never, toldAt: never };
      current = own;
      clearInterval(timer);
      timer = setInterval(tell, lookMilliseconds);
      tell();
      return {
        type(isTyping) {
          if (current !== own) return;
          const now = performance.now();
          own.typedAt = isTyping ? now : never;
          const isDue = isTyping ? now - own.toldAt >= typingMilliseconds : own.toldAt !== never;
          if (isDue) tell();
        },
        end() {
          if (current !== own) return;
          current = undefined;
          clearInterval(timer);
        },
      };
    },
    tell,
    /** Whether the node that this console is connected to takes what it reports of its member. */
    isTaken: () => isTaken,
    receive(conversationId: string, lookers: readonly Looker[]): void {
      if (current?.conversationId === conversationId) current.show(lookers);
    },
    /** Connected, perhaps to another node. */
    resume(takesLooks: boolean): void {
      isTaken = takesLooks;
      tell();
    },
    /** Without a connection nothing is known of the others. */
    pause(): void {
      isTaken = false;
      current?.show([]);
    },
    close: (): void => clearInterval(timer),
  };
}
export type Looking = ReturnType<typeof createLooking>;
