import { setTimeout as sleep } from 'node:timers/promises';
import { choicesFor } from '../choices.ts';
import type { Scene } from './scene.ts';

/** Creates a key, reads a stream with it, and revokes it. */
export async function runKeyClient(scene: Scene, name: string): Promise<void> {
  const { seed, history, client } = scene;
  for (let step = 0; !scene.isEnding() && !client.hasGivenUp(); step += 1) {
    const choices = choicesFor(seed, name, step);
    await sleep(choices.between(1_000, 6_000));
    const conversationId = history.followers.at(-1)?.conversationId;
    if (conversationId === undefined) continue;
    const created = await client.call('POST /api/v1/keys', {
      body: { name: `${name}.${step}`, abilities: ['conversations:read'] },
      idempotencyKey: `key-${name}.${step}`,
    });
    if (created?.status !== 201) continue;
    const { id, key } = created.body as { id: string; key: string };
    let hasEnded = false;
    const reading = client.read(`GET /api/v1/chat/stream?conversation_id=${conversationId}`, {
      key,
      lastEventId: 0,
      expected: ['UNAUTHORIZED'],
      onEvent: () => undefined,
    });
    void reading.finally(() => {
      hasEnded = true;
    });
    await sleep(choices.between(0, 2_000));
    const revoked = await client.call(`DELETE /api/v1/keys/${id}`);
    if (revoked?.status !== 200) continue;
    history.acknowledged.push({ kind: 'revocation', key, hasStreamEnded: () => hasEnded });
    history.note(`${name} revoked the key ${id}`);
  }
}
