import { setTimeout as sleep } from 'node:timers/promises';
import { readStream } from '../../support/faults/reader.ts';
import { until } from '../../support/faults/until.ts';
import type { History } from '../history.ts';
import { writeDirective } from '../load/directive.ts';
import { createReaderView } from '../reader-view.ts';
import type { Stage } from '../stage/stage.ts';

/** Only ends what hangs: a reader that reconnects to Redis takes a second or two. */
const limitMs = 60_000;

/** At rest, a reader on every node sees the turns of every other node, and with Redis their previews too. */
export async function checkPreviews(stage: Stage, botId: string, history: History): Promise<void> {
  for (const [index, node] of stage.nodes.entries()) {
    const giveUpAt = performance.now() + limitMs;
    for (let attempt = 0; ; attempt += 1) {
      const blind = await nodesWithoutPreview(`preview${index}.${attempt}`, node.url());
      if (blind.length === 0 || !stage.redis) break;
      if (performance.now() > giveUpAt) {
        history.find({ what: `a turn on ${node.name} has no preview on ${blind.join(', ')}`, ids: blind });
        break;
      }
      await sleep(1_000);
    }
  }

  async function nodesWithoutPreview(tag: string, url: string): Promise<string[]> {
    const directive = { tag, words: [40], pace: 40, calls: [], failures: {} };
    const sent = readStream(url, {
      key: stage.key,
      operation: 'POST /api/v1/chat/send-stream',
      body: { message: writeDirective(directive), bot_id: botId, external_user_id: tag },
    });
    await until('a turn starts', () => sent.events.length > 0, { detail: () => sent.body() });
    const conversationId: string = sent.events[0]?.data.conversation_id;
    const readers = stage.nodes.map((node) => {
      const view = createReaderView({ ofTurn: false });
      const stream = readStream(node.url(), {
        key: stage.key,
        operation: `GET /api/v1/chat/stream?conversation_id=${conversationId}`,
        lastEventId: 0,
        onEvent: (event) => view.apply(event),
      });
      return { name: node.name, view, stream };
    });
    const isOver = (reader: (typeof readers)[number]) =>
      reader.view.durable.some(({ event }) => event === 'turn.completed');
    await until('every node shows the end of a turn', () => readers.every(isOver), {
      detail: () => readers.map((reader) => `${reader.name}: ${reader.stream.body()}`).join('\n'),
    });
    sent.destroy();
    for (const { name, view, stream } of readers) {
      stream.destroy();
      for (const fault of view.faults) history.find({ what: `${name}: ${fault}`, ids: [conversationId] });
    }
    return readers.filter(({ view }) => view.previewCount() === 0).map(({ name }) => name);
  }
}
