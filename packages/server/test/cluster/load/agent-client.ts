import { setTimeout as sleep } from 'node:timers/promises';
import { choicesFor } from '../choices.ts';
import { stopTurn } from './chat-client.ts';
import { writeDirective } from './directive.ts';
import { planTurn } from './plan-turn.ts';
import { type Scene, waitUntilOver } from './scene.ts';

/** Triggers an agent again and again. Two of them compete for each agent. */
export async function runAgentClient(scene: Scene, name: string, agentId: string): Promise<void> {
  const { seed, history, client, followers } = scene;
  for (let step = 0; !scene.isEnding() && !client.hasGivenUp(); step += 1) {
    const choices = choicesFor(seed, name, step);
    const tag = `${name}.${step}`;
    await sleep(choices.between(200, 2_000));
    const directive = planTurn(choices, tag);
    if (Object.keys(directive.failures).length > 0) history.plannedFailures.add(tag);
    const reply = await client.call(`POST /api/v1/agents/${agentId}/trigger`, {
      body: { payload: writeDirective(directive) },
      idempotencyKey: `run-${tag}`,
      // A run that cannot be started is a 500 by contract, even if only the database is away.
      expected: ['RUN_IN_PROGRESS', 'INTERNAL'],
    });
    if (reply?.status === 500) history.runsRefused.add(tag);
    if (reply?.status !== 202) continue;
    const conversationId: string = reply.body.data.conversation_id;
    history.acknowledged.push({ kind: 'run', tag, conversationId });
    history.note(`${tag} is a run in ${conversationId}`);
    followers.follow(conversationId, tag);
    if (choices.chance(0.15)) {
      const conversation = await client.call(`GET /api/v1/conversations/${conversationId}`);
      const turnId: string | undefined = conversation?.body?.run?.id;
      if (turnId) await stopTurn(scene, { tag, turnId, conversationId }, choices);
    }
    await waitUntilOver(scene, conversationId);
    history.count('runs over');
  }
}
