import { setTimeout as sleep } from 'node:timers/promises';
import { readStream, type StreamReader } from '../../support/faults/reader.ts';
import type { History } from '../history.ts';
import { writeDirective } from '../load/directive.ts';
import { createReaderView, type ReaderView } from '../reader-view.ts';
import type { ClusterNode } from '../stage/cluster-node.ts';
import type { Stage } from '../stage/stage.ts';

/** Only ends what hangs: readers without Redis look at the log every second. */
const limitMs = 60_000;

interface Reader {
  name: string;
  view: ReaderView;
  stream: StreamReader;
}

/**
 * At rest, a reader on every node sees the turns of every other node: with previews while there is Redis, from the log when
 * Redis dies during the turn, and with previews again once it is back.
 */
export async function checkPreviews(stage: Stage, botId: string, history: History): Promise<void> {
  const { redis, nodes } = stage;
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
        return history.find({
          what: `a turn on ${node.name} has no preview on ${blind.join(', ')}`,
          ids: blind,
        });
      }
      await sleep(1_000);
    }
  }

  /** Returns the nodes whose reader saw no preview. `midway` happens when every reader has seen the beginning. */
  async function playTurn(tag: string, node: ClusterNode, midway?: () => Promise<void>): Promise<string[]> {
    const directive = { tag, words: [40], pace: 40, calls: [], failures: {} };
    const sent = readStream(node.url(), {
      key: stage.key,
      operation: 'POST /api/v1/chat/send-stream',
      body: { message: writeDirective(directive), bot_id: botId, external_user_id: tag },
    });
    if (!(await holds(() => sent.events.length > 0))) {
      history.find({ what: `a turn on ${node.name} does not start`, ids: [tag], detail: sent.body() });
      return [];
    }
    const conversationId: string = sent.events[0]?.data.conversation_id;
    const readers = nodes.map(({ name, url }) => follow(name, url(), conversationId));
    await holds(() => readers.every(({ view }) => view.durable.length > 0));
    await midway?.();
    const isOver = ({ view }: Reader) => view.durable.some(({ event }) => event === 'turn.completed');
    await holds(() => readers.every(isOver));
    sent.destroy();
    for (const reader of readers) {
      reader.stream.destroy();
      const missing = isOver(reader) ? [] : [`the end of a turn on ${node.name} never arrived`];
      for (const fault of [...reader.view.faults, ...missing]) {
        history.find({ what: `${reader.name}: ${fault}`, ids: [tag, conversationId] });
      }
    }
    return readers.filter(({ view }) => view.previewCount() === 0).map(({ name }) => name);
  }

  function follow(name: string, url: string, conversationId: string): Reader {
    const view = createReaderView({ ofTurn: false });
    const stream = readStream(url, {
      key: stage.key,
      operation: `GET /api/v1/chat/stream?conversation_id=${conversationId}`,
      lastEventId: 0,
      onEvent: (event) => view.apply(event),
    });
    return { name, view, stream };
  }
}

async function holds(condition: () => boolean): Promise<boolean> {
  const giveUpAt = performance.now() + limitMs;
  while (!condition() && performance.now() < giveUpAt) await sleep(20);
  return condition();
}
