import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterNode } from '../stage/cluster-node.ts';
import { type Probe, watchTurn } from './watched-turn.ts';

/** Only ends what hangs. */
const limitMs = 60_000;

/**
 * At rest, a reader on every node sees the turns of every other node: with previews while there is Redis, from the log when
 * Redis dies during the turn, and with previews again once it is back.
 */
export async function checkPreviews(probe: Probe): Promise<void> {
  const { redis, nodes } = probe.stage;
  const [first] = nodes;
  if (first) await playTurn('alone', first, async () => redis?.stop('SIGKILL'));
  await redis?.start();
  for (const node of nodes) await previewsArrive(node);

  async function previewsArrive(node: ClusterNode): Promise<void> {
    const giveUpAt = performance.now() + limitMs;
    for (let attempt = 0; ; attempt += 1) {
      const blind = await playTurn(`preview${node.index}.${attempt}`, node);
      if (blind.length === 0 || !redis) return;
      if (performance.now() > giveUpAt) {
        return probe.history.find({
          what: `a turn on ${node.name} has no preview for ${blind.join(', ')}`,
          ids: blind,
        });
      }
      await sleep(1_000);
    }
  }

  /** Returns the readers that saw no preview. `midway` happens when every reader has seen the beginning. */
  async function playTurn(tag: string, node: ClusterNode, midway?: () => Promise<void>): Promise<string[]> {
    const directive = { tag, words: [40], pace: 40, calls: [], failures: {} };
    const turn = await watchTurn(probe, node, directive);
    if (!turn) return [];
    await midway?.();
    await turn.finish();
    return turn.readers.filter(({ view }) => view.previewCount() === 0).map(({ name }) => name);
  }
}
