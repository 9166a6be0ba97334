/** What is kept for a visitor from one page to the next. */
export interface Saved {
  token?: string | undefined;
  renewal?: string | undefined;
  conversationId?: string | undefined;
}

export interface SavedState {
  get(): Saved;
  set(changes: Saved): void;
  clear(): void;
}

/** In the page's storage, or in memory where that is blocked or full. */
export function createSavedState(storage: Storage | undefined, name: string): SavedState {
  let memory: Saved | undefined = storage ? undefined : {};

  function get(): Saved {
    if (memory) return memory;
    try {
      return JSON.parse(storage?.getItem(name) ?? '{}') as Saved;
    } catch {
      // Blocked, or not written by this widget.
      return {};
    }
  }

  return {
    get,
    set(changes) {
      const next = { ...get(), ...changes };
      try {
        storage?.setItem(name, JSON.stringify(next));
      } catch {
        // Blocked or full.
        memory = next;
      }
      if (memory) memory = next;
    },
    clear() {
      if (memory) memory = {};
      try {
        storage?.removeItem(name);
      } catch {
        // Blocked, so there is nothing to remove.
      }
    },
  };
}
