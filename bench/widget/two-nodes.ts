import type { Section } from '../chat/section.ts';
import { type Fleet, onStage } from '../nodes/stage.ts';
import type { Comparison } from '../support/compare.ts';
import { issueToken } from './issue-token.ts';

/** A user may have no more on one node, and a message above it is refused for that. */
const maxStreamsPerUser = 12;

/** Messages that two nodes get at the same time, and how many of them they admit. */
export const twoNodes: Section = ({ quick }) =>
  onStage(async ({ startFleet }) => {
    const comparisons: Comparison[] = [];
    for (const redis of [false, true]) {
      const fleet = await startFleet({ nodes: 2, redis });
      const limit = quick ? 20 : 200;
      const started = performance.now();
      const admitted = await countAdmitted(fleet, limit);
      comparisons.push({
        title: `${2 * limit} messages to two nodes ${redis ? 'with' : 'without'} Redis at once, of which ${limit} are allowed`,
        results: [
          { label: 'admitted', digits: 0, ours: admitted, goal: { least: limit } },
          { label: 'admitted beyond the limit', digits: 0, ours: admitted - limit, goal: { most: 0 } },
          { label: 'seconds', digits: 2, ours: (performance.now() - started) / 1_000 },
        ],
      });
    }
    return comparisons;
  });

async function countAdmitted(fleet: Fleet, limit: number): Promise<number> {
  const headers = await issueToken(fleet, { max_messages_per_hour: limit });
  const body = JSON.stringify({
    message: 'Where is my parcel?',
    bot_id: fleet.bot['at-once'],
    new_conversation: true,
  });
  const send = async (index: number): Promise<number> => {
    const url = fleet.nodes[index % fleet.nodes.length]?.url;
    const answer = await fetch(`${url}/api/v1/chat/send-stream`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    await answer.text();
    return answer.status;
  };
  const statuses: number[] = [];
  let next = 0;
  const sendInTurn = async (): Promise<void> => {
    while (next < 2 * limit) {
      const index = next;
      next += 1;
      statuses.push(await send(index));
    }
  };
  await Promise.all(Array.from({ length: maxStreamsPerUser }, sendInTurn));
  const unexpected = statuses.filter((status) => status !== 200 && status !== 429);
  if (unexpected.length > 0) throw new Error(`Some messages were answered with ${unexpected.join(', ')}.`);
  return statuses.filter((status) => status === 200).length;
}
