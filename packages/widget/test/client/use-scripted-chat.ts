import { afterEach, beforeEach, expect, vi } from 'vitest';
import {
  type ChatTab,
  type ChatTabOptions,
  createTestStorage,
  openChatTab,
  type TestStorage,
} from './chat-page.ts';
import { type ScriptedService, startScriptedService } from './scripted-service.ts';

/** A scripted service and a browser for each test of a file. */
export interface ScriptedChat {
  service: ScriptedService;
  storage: TestStorage;
  openTab(options?: Partial<ChatTabOptions>): ChatTab;
  /** The path of every request. */
  paths(): string[];
}

export function useScriptedChat(): ScriptedChat {
  const tabs: ChatTab[] = [];
  const chat = {
    openTab(options: Partial<ChatTabOptions> = {}) {
      const tab = openChatTab({ service: chat.service.url, storage: chat.storage, ...options });
      tabs.push(tab);
      return tab;
    },
    paths: () => chat.service.requests.map(({ path }) => path),
  } as ScriptedChat;
  beforeEach(async () => {
    chat.service = await startScriptedService();
    chat.storage = createTestStorage();
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const { store } of tabs.splice(0)) store.close();
    await chat.service.close();
  });
  return chat;
}

/** What is shown when the bot has answered these messages, one after another. */
export const answered = (...texts: string[]) => [
  'bot: Welcome!',
  ...texts.flatMap((text) => [`visitor: ${text}`, `bot: You wrote ${text}.`]),
];

export const until = (check: () => unknown) => expect.poll(check);
