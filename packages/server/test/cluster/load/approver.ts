import { setTimeout as sleep } from 'node:timers/promises';
import { choicesFor } from '../choices.ts';
import type { Scene } from './scene.ts';

interface PendingApproval {
  id: string;
  conversation_id: string;
  arguments: { ref: string };
}

/** A person who answers pending approvals. Several of them compete; the first one leaves none unanswered. */
export async function runApprover(
  { seed, history, client }: Scene,
  name: string,
  options: { answersAll: boolean; isOver(): boolean },
): Promise<void> {
  const answered = new Set<string>();
  while (!options.isOver() && !client.hasGivenUp()) {
    await sleep(options.answersAll ? 600 : 350);
    const listed = await client.attempt('GET /api/v1/hitl');
    if (listed?.status !== 200) continue;
    const pending = (listed.body as PendingApproval[]).filter(({ id }) => !answered.has(id));
    for (const approval of pending) {
      answered.add(approval.id);
      await answer(approval);
    }
  }

  async function answer({ id, conversation_id: conversationId, arguments: given }: PendingApproval) {
    const choices = choicesFor(seed, name, given.ref);
    if (!options.answersAll && choices.chance(0.4)) return;
    await sleep(choices.between(0, 300));
    const action = choices.pick(['approve', 'approve', 'approve_edited', 'deny']);
    const reply = await client.call(`POST /api/v1/hitl/${id}/respond`, {
      body: {
        action,
        ...(action === 'deny' && { text: 'Not today.' }),
        ...(action === 'approve_edited' && { edited_args: { ref: given.ref, note: 'edited' } }),
      },
      idempotencyKey: `${name}-${id}`,
      // A stop or a truncation may come first.
      expected: ['ALREADY_RESOLVED', 'NOT_FOUND'],
    });
    if (reply?.status !== 200) return;
    history.acknowledged.push({ kind: 'answer', approvalId: id, conversationId, status: reply.body.status });
    history.note(`${name} answers ${id} (${given.ref}) in ${conversationId}: ${reply.body.status}`);
  }
}
