import type { ChatMessage, ChatStore } from '../../src/client/chat-state.ts';
import { createChatStore } from '../../src/client/create-chat-store.ts';
import type { Page } from '../../src/client/page.ts';

/** A page without a browser, which a test can hide and disconnect. */
export interface TestPage extends Page {
  set(changes: { isVisible?: boolean; isOnline?: boolean }): void;
}

function createTestPage(): TestPage {
  const listeners = new Set<() => void>();
  const current = { isVisible: true, isOnline: true };
  return {
    isVisible: () => current.isVisible,
    isOnline: () => current.isOnline,
    place: () => ({ page_url: 'https://shop.example.com/cart', page_title: 'Your cart' }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    nextFrame: (callback) => void setImmediate(callback),
    set(changes) {
      Object.assign(current, changes);
      for (const listener of listeners) listener();
    },
  };
}

/** What tabs of one browser share. Like a real one, it tells every tab but the one that writes. */
export function createTestStorage() {
  const items = new Map<string, string>();
  const tabs = new Set<TestPage>();
  return {
    items,
    forTab(page: TestPage): Storage {
      tabs.add(page);
      const tell = () => {
        for (const tab of tabs) if (tab !== page) setImmediate(() => tab.set({}));
      };
      return {
        get length() {
          return items.size;
        },
        key: (index) => [...items.keys()][index] ?? null,
        getItem: (name) => items.get(name) ?? null,
        setItem(name, text) {
          if (items.get(name) === text) return;
          items.set(name, text);
          tell();
        },
        removeItem(name) {
          if (items.delete(name)) tell();
        },
        clear: () => items.clear(),
      };
    },
  };
}

export type TestStorage = ReturnType<typeof createTestStorage>;

export interface ChatTab {
  store: ChatStore;
  page: TestPage;
}

export interface ChatTabOptions {
  service: string;
  key?: string;
  storage?: TestStorage;
  fetch?: typeof fetch;
  pace?: number;
}

/** A tab with the widget. */
export function openChatTab({
  service,
  key = 'svc_key',
  storage,
  pace = 0.02,
  ...rest
}: ChatTabOptions): ChatTab {
  const page = createTestPage();
  const store = createChatStore({ service, key, storage: storage?.forTab(page), page, pace, ...rest });
  return { store, page };
}

/** `visitor: Hello`, with its state if it is not done. */
export function shown(store: ChatStore): string[] {
  return store.get().messages.map(line);
}

function line({ from, text, state, author }: ChatMessage): string {
  return `${author ?? from}: ${text}${state === 'done' ? '' : ` (${state})`}`;
}
