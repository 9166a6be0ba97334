import { setTimeout as sleep } from 'node:timers/promises';
import type { Choices } from '../choices.ts';
import type { SentTurn } from '../history.ts';
import { createReaderView } from '../reader-view.ts';
import { type Directive, writeDirective } from './directive.ts';
import type { Scene } from './scene.ts';

export interface Sending {
  /** Resolves once the turn is acknowledged; undefined if it never was. */
  started: Promise<SentTurn | undefined>;
  /** Resolves when the client has seen the end of the turn's stream, or left. */
  over: Promise<void>;
}

const streamEnds = ['turn.completed', 'turn.paused', 'turn.interrupted', 'turn.failed'];

/** Sends a message and reads its turn, resuming with the same Idempotency-Key whenever the stream breaks. */
export function sendTurn(
  scene: Scene,
  directive: Directive,
  target: object,
  { choices, leavesEarly }: { choices: Choices; leavesEarly: boolean },
): Sending {
  const { history, client } = scene;
  const { tag } = directive;
  const view = createReaderView({ ofTurn: true });
  const starting = Promise.withResolvers<SentTurn | undefined>();
  let turn: SentTurn | undefined;
  const body = { message: writeDirective(directive), ...target };
  if (Object.keys(directive.failures).length > 0) history.plannedFailures.add(tag);

  async function readOnce(attempt: number): Promise<'ended' | 'broken' | 'refused'> {
    view.reconnect();
    let hasEnded = false;
    const isCut = leavesEarly || (attempt < 3 && choices.chance(0.35));
    const error = await client.read('POST /api/v1/chat/send-stream', {
      body,
      idempotencyKey: `send-${tag}`,
      lastEventId: view.lastId(),
      cutAfterMs: isCut ? choices.between(20, 3_000) : undefined,
      patienceMs: choices.between(4_000, 9_000),
      expected: ['TURN_IN_PROGRESS'],
      onEvent(event) {
        view.apply(event);
        if (event.event !== 'message.delta') history.note(`${tag} reads ${event.event} ${event.id ?? ''}`);
        if (event.event === 'turn.started' && !turn) acknowledge(event.data);
        hasEnded ||= streamEnds.includes(event.event) && event.data.turn_id === turn?.turnId;
      },
    });
    if (hasEnded) return 'ended';
    if (error) history.note(`${tag} is answered ${error.status} ${error.body?.code}`);
    return error && error.body?.code !== 'TURN_IN_PROGRESS' && error.status !== 503 && error.status !== 409
      ? 'refused'
      : 'broken';
  }

  function acknowledge(data: {
    turn_id: string;
    conversation_id: string;
    user_message: { id: string };
  }): void {
    const { turn_id: turnId, conversation_id: conversationId } = data;
    turn = { tag, turnId, conversationId, view, isComplete: false };
    history.sentTurns.push(turn);
    const messageId = data.user_message.id;
    history.acknowledged.push({ kind: 'message', tag, conversationId, turnId, messageId });
    history.note(`${tag} is turn ${turnId} of ${conversationId}`);
    starting.resolve(turn);
  }

  async function readToTheEnd(): Promise<void> {
    for (let attempt = 0; !client.hasGivenUp(); attempt += 1) {
      const outcome = await readOnce(attempt);
      if (outcome === 'refused') return;
      if (outcome === 'ended' && turn) {
        turn.isComplete = true;
        return;
      }
      if (leavesEarly && turn) return;
      history.count('streams resumed by senders');
      await sleep(choices.between(50, 400));
    }
  }

  const over = readToTheEnd().finally(() => starting.resolve(turn));
  return { started: starting.promise, over };
}
