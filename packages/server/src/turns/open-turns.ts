import type { MachineOfTurn, ResumeTurn } from '../approvals/approvals.service.ts';
import { erasedChannel } from '../conversations/erasure/conversation-erasure.service.ts';
import type { Feature, Services } from '../services.ts';
import { createSummariser } from './reply/context/summarise.ts';
import { createLiveReplies } from './reply/live-replies.ts';
import { createDeadlineSweep } from './run/deadlines.ts';
import { createRecentHistories } from './run/recent-histories.ts';
import { createResumeTurn } from './run/resume-turn.ts';
import { createTurnRunner } from './run/runner.ts';
import type { PlacedMessage } from './state.ts';
import { createNoteLateOutcome, type NoteLateOutcome } from './tool-calls/late-outcome.ts';
import type { TurnDependencies } from './turn-dependencies.ts';
import { createTurnService, stopChannel } from './turns.service.ts';
import { turnStore } from './turns.store.ts';

export interface OpenedTurns extends Feature<Pick<Services, 'reading' | 'turns'>> {
  resumeTurn: ResumeTurn;
  machineOfTurn: MachineOfTurn;
  noteLateOutcome: NoteLateOutcome;
  /** Takes over turns whose node is gone. */
  sweep(): Promise<void>;
}

/** Wires the engine. */
export function openTurns(
  options: Omit<TurnDependencies, 'replies'> & Pick<Services, 'inProgress' | 'presence'>,
): OpenedTurns {
  const { database, feed, log, meters } = options;
  const replies = createLiveReplies(options);
  feed.showReplies(replies.snapshots);
  const recent = createRecentHistories(undefined, (isHit) =>
    meters.cacheLookups.add(1, 'histories', isHit ? 'hit' : 'miss'),
  );
  const dependencies = { ...options, replies };
  const summarise = createSummariser(dependencies);
  const runner = createTurnRunner({
    ...dependencies,
    afterTurn(lease, state) {
      if (state.ended) recent.keep(lease.conversationId, state.messages.map(withoutFiles));
      return summarise(lease, state);
    },
  });
  const turns = createTurnService({ ...dependencies, runner, recent });
  return {
    services: { turns, reading: { database, feed, retractions: turns.retractions } },
    noteLateOutcome: createNoteLateOutcome(dependencies),
    resumeTurn: createResumeTurn({ ...dependencies, runner }),
    machineOfTurn: async (tx, { workspaceId, turnId }) =>
      (await turnStore.find(tx, workspaceId, turnId))?.options.code_machine_id,
    notifications: {
      [stopChannel](payload) {
        // Releases before this one read from the notification who has asked, too.
        const [turnId = ''] = payload.split(' ');
        runner.stopIfRequested(turnId).catch((error: unknown) => {
          log.warn({ err: error, turn_id: turnId }, 'A turn may have to stop: the next round finds out.');
        });
      },
      [erasedChannel](payload) {
        for (const conversationId of payload.split(' ')) recent.forget(conversationId);
        // The log watch ends the readers of those that the database no longer has.
        feed.noteLost();
      },
    },
    sweep: runner.sweep,
    rounds: [
      { name: 'take over turns', everyMilliseconds: 3_000, work: runner.sweep, takesOver: true },
      {
        name: 'run deadlines',
        everyMilliseconds: 3_000,
        work: createDeadlineSweep({ ...dependencies, runner }),
      },
    ],
    // Waits for turns to end; after the grace period the others are handed over to other nodes.
    stop: runner.stop,
  };
}

function withoutFiles({ attached: _read, images: _seen, ...message }: PlacedMessage): PlacedMessage {
  return message;
}
