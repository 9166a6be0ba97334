import { setTimeout as sleep } from 'node:timers/promises';
import { type Choices, choicesFor } from '../choices.ts';
import type { SentTurn } from '../history.ts';
import { planTurn } from './plan-turn.ts';
import { type Scene, waitUntilOver } from './scene.ts';
import { sendTurn } from './send-turn.ts';

type Manner = 'plain' | 'leave' | 'stop' | 'operator' | 'truncate';
const manners: Manner[] = [
  ...Array.from({ length: 10 }, () => 'plain' as const),
  'leave',
  'leave',
  'stop',
  'stop',
  'operator',
  'operator',
  'truncate',
];

/** One user of the chat, who sends message after message and now and then does something else. */
export async function runChatClient(scene: Scene, name: string): Promise<void> {
  const { seed, history, client, followers } = scene;
  let conversationId: string | undefined;
  for (let step = 0; !scene.isEnding() && !client.hasGivenUp(); step += 1) {
    const choices = choicesFor(seed, name, step);
    const tag = `${name}.${step}`;
    await sleep(choices.between(0, 800));
    const manner = choices.pick(manners);
    const isNew = conversationId === undefined || choices.chance(0.3);
    const target = {
      external_user_id: name,
      ...(isNew ? { bot_id: scene.botId, new_conversation: true } : { conversation_id: conversationId }),
    };
    const directive = planTurn(choices, tag);
    const sending = sendTurn(scene, directive, target, { choices, leavesEarly: manner === 'leave' });
    const turn = await sending.started;
    if (!turn) continue;
    ({ conversationId } = turn);
    followers.follow(conversationId, tag);
    if (manner === 'stop') await stopTurn(scene, turn, choices);
    if (manner === 'operator') await writeAsOperator(scene, turn, choices);
    await sending.over;
    await waitUntilOver(scene, conversationId);
    history.count('turns over');
    if (manner === 'truncate') await truncate(scene, turn, choices);
  }
}

export async function stopTurn(
  { history, client }: Scene,
  { tag, turnId, conversationId }: Pick<SentTurn, 'tag' | 'turnId' | 'conversationId'>,
  choices: Choices,
): Promise<void> {
  await sleep(choices.between(0, 1_500));
  history.stopsRequested.add(turnId);
  history.note(`${tag} requests a stop of ${turnId} in ${conversationId}`);
  const reply = await client.call('POST /api/v1/chat/stop', {
    body: { conversation_id: conversationId },
    idempotencyKey: `stop-${tag}`,
  });
  if (reply?.body?.stopped === true) {
    history.acknowledged.push({ kind: 'stop', conversationId, turnId });
    history.note(`${tag}: the stop of ${turnId} is acknowledged`);
  }
}

async function writeAsOperator(
  { history, client }: Scene,
  { tag, conversationId }: SentTurn,
  choices: Choices,
): Promise<void> {
  await sleep(choices.between(0, 1_500));
  const content = `An operator writes during ${tag}.`;
  const reply = await client.call(`POST /api/v1/conversations/${conversationId}/messages`, {
    body: { content },
    idempotencyKey: `operator-${tag}`,
  });
  if (reply?.status !== 201) return;
  const messageId: string = reply.body.id;
  history.acknowledged.push({ kind: 'operator', conversationId, messageId, content });
  history.note(`${tag}: operator message ${messageId} of ${conversationId} is acknowledged`);
}

async function truncate(
  { history, client }: Scene,
  { tag, conversationId }: SentTurn,
  choices: Choices,
): Promise<void> {
  const conversation = await client.call(`GET /api/v1/conversations/${conversationId}`);
  const messages: { id: string }[] = conversation?.body?.messages ?? [];
  if (messages.length === 0) return;
  const kept = choices.between(Math.max(0, messages.length - 4), messages.length - 1);
  const removed = messages.slice(kept + 1).map(({ id }) => id);
  for (const id of removed) history.removalsRequested.add(id);
  history.note(`${tag} truncates ${conversationId} after ${messages[kept]?.id}`);
  const reply = await client.call(`POST /api/v1/conversations/${conversationId}/truncate`, {
    body: { message_id: messages[kept]?.id },
    idempotencyKey: `truncate-${tag}`,
  });
  if (reply?.status === 200) history.acknowledged.push({ kind: 'truncation', conversationId, removed });
}
