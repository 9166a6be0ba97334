import type { ResumeTurn } from '../../approvals/approvals.service.ts';
import { type NewEvent, numbered } from '../../events/event.ts';
import { eventLog } from '../../events/event-log.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { TurnRunner } from './runner.ts';
import { takePausedTurn } from './take-paused-turn.ts';

/** Paused turns continue on the node that received the last answer. */
export function createResumeTurn(
  dependencies: Pick<TurnDependencies, 'nodeId' | 'runs'> & { runner: Pick<TurnRunner, 'startFrom'> },
): ResumeTurn {
  return async (tx, { workspaceId, conversationId, turnId }) => {
    const turn = await takePausedTurn(tx, workspaceId, turnId, dependencies);
    if (!turn) return { events: [], start: () => undefined };
    const resumed: NewEvent[] = [{ type: 'turn.resumed', data: { turn_id: turnId } }];
    const first = await eventLog.append(tx, { conversationId, turnId, events: resumed, status: 'running' });
    return {
      events: numbered(resumed, first, turnId),
      start: () => dependencies.runner.startFrom(turn),
    };
  };
}
