import type { TurnGate } from '../approvals/service.ts';
import { type NewEvent, numbered } from '../events/event.ts';
import { eventLog } from '../events/log.ts';
import type { TurnRunner } from './runner.ts';
import { turnStore } from './store.ts';

/** Lets paused turns go on, on the node where the last answer came in. */
export function createTurnGate({ nodeId, runner }: { nodeId: string; runner: () => TurnRunner }): TurnGate {
  return {
    async resume(tx, { workspaceId, conversationId, turnId }) {
      const turn = await turnStore.unpause(tx, workspaceId, turnId, nodeId);
      if (!turn) return { events: [], start: () => undefined };
      const resumed: NewEvent[] = [{ type: 'turn.resumed', data: { turn_id: turnId } }];
      const first = await eventLog.append(tx, { conversationId, turnId, events: resumed, status: 'running' });
      return {
        events: numbered(resumed, first, turnId),
        start: () => runner().startFrom(turn),
      };
    },
  };
}
