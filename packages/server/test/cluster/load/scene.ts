import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from '../history.ts';
import type { Client } from './client.ts';
import type { Followers } from './followers.ts';

/** What every client of the load works with. */
export interface Scene {
  seed: number;
  history: History;
  client: Client;
  followers: Followers;
  botId: string;
  agentIds: string[];
  /** No new work is begun any more. */
  isEnding(): boolean;
}

/** Polls until the turn or run of a conversation is over. */
export async function waitUntilOver(
  { client }: Pick<Scene, 'client'>,
  conversationId: string,
): Promise<void> {
  for (;;) {
    const reply = await client.call(`GET /api/v1/conversations/${conversationId}`);
    if (!reply || reply.status >= 400 || !['running', 'paused'].includes(reply.body.status)) return;
    await sleep(500);
  }
}
