export interface Joiner<Message> {
  add(message: Message): void;
  /** Passes on what was added so far. */
  flush(): void;
}

/** Passes on the messages of one tick as one. */
export function joinWithinTick<Message>(
  join: (earlier: Message, later: Message) => Message,
  pass: (message: Message) => void,
): Joiner<Message> {
  let waiting: { message: Message } | undefined;
  function flush(): void {
    const flushed = waiting;
    waiting = undefined;
    if (flushed) pass(flushed.message);
  }
  return {
    flush,
    add(message) {
      if (!waiting) process.nextTick(flush);
      waiting = { message: waiting ? join(waiting.message, message) : message };
    },
  };
}
