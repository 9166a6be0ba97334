import { LRUCache } from 'lru-cache';
import type { BotReading } from './store.ts';

export interface BotMemory {
  /** What was last read, which may be long ago: whoever acts on it checks the revision in the statement that acts. */
  recall(workspaceId: string, botId: string): BotReading | undefined;
  remember(reading: BotReading): void;
}

const maxBots = 1_000;

/** Bots that were lately spoken to: they change seldom, and saying so is cheaper than reading them for every message. */
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
