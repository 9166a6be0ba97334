import { LRUCache } from 'lru-cache';
import type { BotReading } from './bots.store.ts';

export interface BotMemory {
  /** The last reading, possibly an old one: callers must check its revision in the statement that depends on it. */
  recall(workspaceId: string, botId: string): BotReading | undefined;
  remember(reading: BotReading): void;
}

const maxBots = 1_000;

/** Caches recently used bots: they rarely change, and checking a revision is cheaper than reading a bot for every message. */
export function createBotMemory(): BotMemory {
  const readings = new LRUCache<string, BotReading>({ max: maxBots });
  return {
    recall(workspaceId, botId) {
      const reading = readings.get(botId);
      return reading?.bot.workspaceId === workspaceId ? reading : undefined;
    },
    remember(reading) {
      readings.set(reading.bot.id, reading);
    },
  };
}
