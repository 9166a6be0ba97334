import { setTimeout as sleep } from 'node:timers/promises';
import { readStream, type StreamReader } from '../../support/faults/reader.ts';
import type { History } from '../history.ts';
import { type Directive, writeDirective } from '../load/directive.ts';
import type { Prepared } from '../load/prepare.ts';
import { createReaderView, type ReaderView } from '../reader-view.ts';
import type { ClusterNode } from '../stage/cluster-node.ts';
import type { Stage } from '../stage/stage.ts';

/** Only ends what hangs: readers without Redis look at the log every second, and a paused node has a lease of 15 seconds. */
const limitMs = 60_000;

/** What the checks that send requests of their own work with, when the load is over. */
export interface Probe {
  stage: Stage;
  prepared: Prepared;
  history: History;
}

interface Reader {
  name: string;
  view: ReaderView;
  stream: StreamReader;
}

/** A turn whose conversation is followed on every node, each by one connection. */
export interface WatchedTurn {
  turnId: string;
  conversationId: string;
  readers: Reader[];
  /** The stream of the sender. */
  sent: StreamReader;
  /** Waits until every reader has the whole log of a conversation in which nothing runs; false if that does not happen. */
  haveAll(): Promise<boolean>;
  /** Waits for that, then ends the readers. What they saw is compared with the log like that of any follower. */
  finish(): Promise<void>;
}

/** Undefined: the turn does not start. */
export async function watchTurn(
  { stage, prepared, history }: Probe,
  node: ClusterNode,
  directive: Directive,
): Promise<WatchedTurn | undefined> {
  const { tag } = directive;
  const sent = readStream(node.url(), {
    key: stage.key,
    operation: 'POST /api/v1/chat/send-stream',
    body: { message: writeDirective(directive), bot_id: prepared.botId, external_user_id: tag },
  });
  if (!(await holds(() => sent.events.length > 0))) {
    history.find({ what: `a turn on ${node.name} does not start`, ids: [tag], detail: sent.body() });
    sent.destroy();
    return undefined;
  }
  const { turn_id: turnId, conversation_id: conversationId } = sent.events[0]?.data ?? {};
  history.note(`${tag} is turn ${turnId} of ${conversationId}`);
  const readers = stage.nodes.map((reading) => follow(reading));
  await holds(() => readers.every(({ view }) => view.durable.length > 0));

  function follow(reading: ClusterNode): Reader {
    const name = `${tag} read on ${reading.name}`;
    const view = createReaderView({ ofTurn: false });
    history.followers.push({ name, conversationId, view });
    const stream = readStream(reading.url(), {
      key: stage.key,
      operation: `GET /api/v1/chat/stream?conversation_id=${conversationId}`,
      lastEventId: 0,
      onEvent(event) {
        view.apply(event);
        if (event.event !== 'message.delta') history.note(`${name}: ${event.event} ${event.id ?? ''}`);
      },
    });
    return { name, view, stream };
  }

  async function haveAll(): Promise<boolean> {
    const isWhole = await holds(async () => {
      const [stored] = await stage.postgres.query<{ last: number }>(
        `select last_sequence::int as last from conversations where id = $1 and status = 'idle'`,
        [conversationId],
      );
      return readers.every(({ view }) => view.lastId() === stored?.last && view.previews.size === 0);
    });
    if (!isWhole) history.find({ what: `events of ${tag} never arrived`, ids: [tag, conversationId] });
    return isWhole;
  }

  return {
    turnId,
    conversationId,
    readers,
    sent,
    haveAll,
    async finish() {
      await haveAll();
      sent.destroy();
      for (const { stream } of readers) stream.destroy();
    },
  };
}

export async function holds(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) return false;
    await sleep(20);
  }
  return true;
}
