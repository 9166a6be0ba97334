import type { TurnGate } from '../../approvals/service.ts';
import { type NewEvent, numbered } from '../../events/event.ts';
import { eventLog } from '../../events/log.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { TurnRunner } from './runner.ts';
import { unpauseTurn } from './unpause.ts';

export interface GateDependencies extends Pick<TurnDependencies, 'nodeId' | 'runs'> {
  /** The runner needs the approvals, which need the gate. */
  runner: () => TurnRunner;
}

/** Lets paused turns go on, on the node where the last answer came in. */
export function createTurnGate(dependencies: GateDependencies): TurnGate {
  return {
    async resume(tx, { workspaceId, conversationId, turnId }) {
      const turn = await unpauseTurn(tx, workspaceId, turnId, dependencies);
      if (!turn) return { events: [], start: () => undefined };
      const resumed: NewEvent[] = [{ type: 'turn.resumed', data: { turn_id: turnId } }];
      const first = await eventLog.append(tx, { conversationId, turnId, events: resumed, status: 'running' });
      return {
        events: numbered(resumed, first, turnId),
        start: () => dependencies.runner().startFrom(turn),
      };
    },
  };
}
