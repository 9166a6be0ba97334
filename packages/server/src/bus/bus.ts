/** A kind of topics; each key is a topic of its own, such as one conversation. */
export interface TopicKind<Message> {
  /** Without a colon. Processes of other releases use it too, so it never changes. */
  readonly name: string;
  /** Messages that only preview what follows. Other processes get them a little later, joined, and only if they listen. */
  readonly preview?: {
    includes(message: Message): boolean;
    /** One message in place of two that were published one after the other. */
    join(earlier: Message, later: Message): Message;
    /** Nothing else follows: those that could not be sent count as lost. */
    readonly isNeeded?: boolean;
  };
}

export interface Subscriber<Message> {
  onMessage(message: Message, from: 'here' | 'elsewhere'): void;
  /** Messages of other processes may have been missed, because of this process or of the one that sent them. */
  onLost(): void;
}

export interface Subscription {
  /** Resolves when messages of other processes arrive, or when none can arrive at the moment. */
  readonly ready: Promise<void>;
  /** Requests the greeting of other processes again. */
  renew(): void;
  /** Repeated calls are harmless. */
  end(): void;
}

/**
 * Carries messages between the parts of one process and between all processes that share it. Each message arrives at most
 * once, and those of one process arrive in their order. Nothing is kept: what must not be lost belongs in the database.
 */
export interface Bus {
  /** Subscribers in this process get the message itself before this returns; those in others get a copy made by JSON. */
  publish<Message>(kind: TopicKind<Message>, key: string, message: Message): void;
  subscribe<Message>(kind: TopicKind<Message>, key: string, subscriber: Subscriber<Message>): Subscription;
  /** What a process that starts to listen elsewhere receives on its topic; undefined for nothing. One greeting per kind. */
  greet<Message>(kind: TopicKind<Message>, greeting: (key: string) => Message | undefined): void;
  /** Messages that should have been published may be missing: every subscriber in every process is notified. */
  reportLoss(): void;
  /** Processes with the same value reach each other; undefined while this one reaches no other. */
  readonly reach: string | undefined;
  /** Called when `reach` changes, until the returned function is called. */
  onReach(callback: (reach: string | undefined) => void): () => void;
  /** Publishes what is waiting and disconnects. Repeated calls are harmless. */
  close(): Promise<void>;
}
