import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../load/client.ts';
import { holds, type Probe, watchTurn } from './watched-turn.ts';

const quietLosses = 3;
const busyMs = 1_500;
const cutAfterMs = 500;
const cutMs = 300;

/**
 * A node that loses Redis for a moment misses events. Its readers must get them from the log, whether nothing follows, so that
 * nothing shows the loss, or the next event arrives right after the reconnection, so that it must wait for those before it.
 */
export async function checkMissedEvents(probe: Probe): Promise<void> {
  const { stage, history } = probe;
  const [writing] = stage.nodes;
  const cutOff = stage.nodes.at(-1);
  const proxy = cutOff?.redis;
  if (!writing || !proxy) return;
  const directive = { tag: 'missed', words: [2], pace: 0, calls: [], failures: {} };
  const turn = await watchTurn(probe, writing, directive);
  if (!turn) return;
  await turn.haveAll();
  const client = createClient(history, { url: writing.url(), key: stage.key });

  history.announce(`fault: cut redis of ${cutOff.name} for moments in which events are written`);
  for (let loss = 0; loss < quietLosses; loss += 1) {
    await holds(areTogether);
    proxy.set('cut');
    await write(`Quiet ${loss}.`);
    proxy.set('open');
    if (!(await turn.haveAll())) break;
  }
  await holds(areTogether);
  const cutting = cutBriefly();
  const endAt = performance.now() + busyMs;
  for (let count = 0; performance.now() < endAt; count += 1) await write(`Busy ${count}.`);
  await cutting;
  await turn.finish();

  async function cutBriefly(): Promise<void> {
    await sleep(cutAfterMs);
    proxy?.set('cut');
    await sleep(cutMs);
    proxy?.set('open');
  }

  async function write(content: string): Promise<void> {
    const reply = await client.attempt(`POST /api/v1/conversations/${turn?.conversationId}/messages`, {
      body: { content },
    });
    if (reply?.status === 201) return;
    history.find({ what: `an operator's message was answered ${reply?.status}`, ids: ['missed'] });
  }

  /** Whether all nodes are on the same bus, as they report it. */
  async function areTogether(): Promise<boolean> {
    const [found] = await stage.postgres.query<{ together: boolean }>(
      'select count(distinct reach) = 1 and count(*) = count(reach) as together from nodes',
    );
    return found?.together === true;
  }
}
