/** Passes items on together and calls back when they have left this process, or never will. */
export type Post<Item> = (items: readonly Item[], written: () => void) => void;

export interface ProcessOutboxOptions<Item> {
  post: Post<Item>;
  /** How much may wait for a reader that is slow or stopped, in characters. */
  maxWaiting: number;
  /** Called when there is room again after items were refused, before any further item. */
  onRoom(): void;
}

/** For a reader that does not read: more is not kept for it. */
export const maxWaitingCharacters = 8_000_000;
/** Roughly what an item takes beside its text, so that many small ones count too. */
const overheadOfItem = 100;

/** Collects what is sent during one iteration of the event loop, or while the reader is busy, and posts it together. */
export function createProcessOutbox<Item>({ post, maxWaiting, onRoom }: ProcessOutboxOptions<Item>) {
  let items: Item[] = [];
  let size = 0;
  let postedSize = 0;
  let isPosting = false;
  let isScheduled = false;
  let isRefusing = false;
  let empty: PromiseWithResolvers<void> | undefined;

  function schedule(): void {
    if (isPosting || isScheduled) return;
    isScheduled = true;
    setImmediate(flush);
  }

  function flush(): void {
    isScheduled = false;
    const posted = items;
    postedSize = size;
    items = [];
    size = 0;
    isPosting = true;
    post(posted, written);
  }

  function written(): void {
    isPosting = false;
    postedSize = 0;
    if (isRefusing && size === 0) {
      isRefusing = false;
      onRoom();
    }
    if (items.length > 0) return schedule();
    empty?.resolve();
    empty = undefined;
  }

  return {
    /** Returns false if the item is refused because too much is waiting; then all are, until there is room again. */
    offer(item: Item, itemSize: number): boolean {
      const added = itemSize + overheadOfItem;
      if (size + postedSize + added > maxWaiting) isRefusing = true;
      if (isRefusing) return false;
      items.push(item);
      size += added;
      schedule();
      return true;
    },
    /** For small items that must not be lost. */
    add(item: Item): void {
      items.push(item);
      schedule();
    },
    /** Resolves when everything has left. */
    async drained(): Promise<void> {
      if (!isPosting && items.length === 0) return;
      empty ??= Promise.withResolvers();
      await empty.promise;
    },
  };
}
