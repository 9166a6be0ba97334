export interface TransportHandlers {
  /** A text that another process sent; some transports return this one's own too. */
  onText(channel: string, text: string): void;
  /** Texts arrive on every joined channel from now on. Processes with the same `reach` reach each other. */
  onConnected(reach: string): void;
  /** Texts may be missed from now on, until connected again. */
  onDisconnected(): void;
}

/** Carries texts between processes: at most once, those of one process in their order. Reconnects and rejoins by itself. */
export interface Transport {
  /** Called once, before anything else. Does not wait for a connection. */
  start(handlers: TransportHandlers): void;
  /**
   * The text begins with the name of its sender and a space. Resolves to how many other processes receive the text; undefined if that
   * is unknown, or if it could not be sent.
   */
  send(channel: string, text: string): Promise<number | undefined>;
  /** Resolves when texts on the channel arrive, or when there is no connection. */
  join(channel: string): Promise<void>;
  leave(channel: string): void;
  /** Sends what is waiting and disconnects. */
  close(): Promise<void>;
}
