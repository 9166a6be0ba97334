import { isDeepStrictEqual } from 'node:util';
import { createClient } from '../load/client.ts';
import { slowNote } from '../stage/effects-server.ts';
import { type Probe, watchTurn } from './watched-turn.ts';

/**
 * One Idempotency-Key reaches every node at the same moment: it acts once, and all get the same answer. The test of a tool has
 * nothing but the key to keep it from acting again; the others also store their answer together with what they create.
 */
export async function checkRepeatedRequests(probe: Probe): Promise<void> {
  const { stage, prepared, history } = probe;
  const [first] = stage.nodes;
  if (!first) return;
  const tag = 'repeated';
  const turn = await watchTurn(probe, first, { tag, words: [2], pace: 0, calls: [], failures: {} });
  if (!turn) return;
  await turn.haveAll();

  const ref = `${tag}/tool`;
  await sendEverywhere(`POST /api/v1/tools/${prepared.effectToolId}/test`, {
    parameters: { ref, note: slowNote },
  });
  const effects = stage.effects.effects.filter((effect) => effect.ref === ref).length;
  if (effects !== 1) {
    history.find({ what: `a request that was sent to every node took effect ${effects} times`, ids: [ref] });
  }
  await sendEverywhere(`POST /api/v1/conversations/${turn.conversationId}/messages`, {
    content: 'Sent to every node.',
  });
  await sendEverywhere('POST /api/v1/keys', { name: tag, abilities: ['conversations:read'] });
  await turn.finish();

  async function sendEverywhere(operation: string, body: object): Promise<void> {
    const copies = Math.max(stage.nodes.length, stage.processes);
    const idempotencyKey = `${tag} ${operation}`;
    const replies = await Promise.all(
      Array.from({ length: copies }, (_, copy) => {
        const url = stage.nodes[copy % stage.nodes.length]?.url() ?? '';
        return createClient(history, { url, key: stage.key }).call(operation, { body, idempotencyKey });
      }),
    );
    if (replies.every((reply) => reply && reply.status < 300 && isDeepStrictEqual(reply, replies[0]))) return;
    history.find({
      what: `${operation} was answered in different ways to the same Idempotency-Key`,
      ids: [idempotencyKey],
      detail: JSON.stringify(replies),
    });
  }
}
