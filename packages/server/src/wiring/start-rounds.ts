import type { ScheduleService } from '../agents/schedules/schedules.service.ts';
import type { ApprovalResolver } from '../approvals/resolver.ts';
import type { AuditService } from '../audit/audit.service.ts';
import type { ConsoleBotService } from '../console/bots/console-bots.service.ts';
import type { EndUserService } from '../end-users/end-users.service.ts';
import type { EvaluationService } from '../evaluations/evaluations.service.ts';
import { type LogWatchDependencies, startLogWatch } from '../events/log-watch.ts';
import { reportUncertainCommits } from '../events/report-uncertain-commits.ts';
import type { EventStreams } from '../http/event-streams.ts';
import type { IdempotencyService } from '../idempotency/idempotency.service.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { KeyService } from '../keys/keys.service.ts';
import type { OpenedKnowledge } from '../knowledge/open-knowledge.ts';
import { repeat } from '../lib/repeat.ts';
import type { OpenedMembers } from '../members/open-members.ts';
import { type NodeGoneOptions, watchForNodesGone } from '../nodes/node-gone.ts';
import type { OpenedTurns } from '../turns/open-turns.ts';
import type { OpenExchange } from '../voice/exchange/exchange.ts';
import type { PostCall } from '../voice/post-call/post-call.ts';
import type { OpenedBilling } from './open-billing.ts';
import type { OpenedMessageCounter } from './open-message-counter.ts';
import type { OpenedRequestLimits } from './open-request-limits.ts';

export interface RoundsOptions extends LogWatchDependencies, Pick<NodeGoneOptions, 'bus'> {
  presence: LogWatchDependencies['presence'] & NodeGoneOptions['presence'];
  engine: Pick<OpenedTurns, 'sweep' | 'endOverdueRuns'>;
  evaluations: Pick<EvaluationService, 'sweep'>;
  calls: Pick<OpenExchange, 'sweep'>;
  postCall: Pick<PostCall, 'sweep'>;
  money: Pick<OpenedBilling, 'releaseAbandoned'>;
  jobs: Pick<Jobs, 'returnAbandoned' | 'wake'>;
  resolver: Pick<ApprovalResolver, 'expire'>;
  audit: Pick<AuditService, 'deleteOld'>;
  schedules: Pick<ScheduleService, 'fireDue'>;
  /** How often schedules are checked; every second if left out. */
  scheduleEveryMilliseconds: number | undefined;
  consoleBots: Pick<ConsoleBotService, 'sweepDrafts'>;
  keys: Pick<KeyService, 'forgetDeadKeys' | 'saveUses'>;
  knowledge: Pick<OpenedKnowledge, 'takeUp'>;
  idempotency: Pick<IdempotencyService, 'deleteExpired' | 'settle'>;
  requestLimits: Pick<OpenedRequestLimits, 'sweep'>;
  messageCounts: Pick<OpenedMessageCounter, 'sweep'>;
  people: Pick<OpenedMembers, 'sweep'>;
  endUsers: Pick<EndUserService, 'sweep'>;
  streams: Pick<EventStreams, 'beat'>;
}

export interface Rounds {
  /** Ignores nodes that are announced as gone from now on. */
  ignoreNodesGone(): void;
  /** Resolves when the current rounds have ended. */
  stop(): Promise<void>;
}

/** Starts what a node does periodically. The work of a node that is announced as gone is taken over immediately. */
export function startRounds(options: RoundsOptions): Rounds {
  const { engine, evaluations, money, jobs, keys, idempotency, log, scheduleEveryMilliseconds } = options;
  const round = (name: string, everyMilliseconds: number, work: () => Promise<void>) =>
    repeat({ name, everyMilliseconds, log, work });

  const takingOver = [
    round('take over turns', 3_000, engine.sweep),
    round('evaluations', 3_000, evaluations.sweep),
    round('calls of lost nodes', 3_000, options.calls.sweep),
    round('money set aside', 3_000, money.releaseAbandoned),
    round('abandoned jobs', 3_000, jobs.returnAbandoned),
  ];
  const rounds = [
    ...takingOver,
    round('hooks without a job', 60_000, options.postCall.sweep),
    round('run deadlines', 3_000, engine.endOverdueRuns),
    round('expire approvals', 3_000, options.resolver.expire),
    round('fire schedules', scheduleEveryMilliseconds ?? 1_000, options.schedules.fireDue),
    round('stream beats', 15_000, async () => options.streams.beat()),
    round('request counts', 60_000, options.requestLimits.sweep),
    round('message counts', 60_000, options.messageCounts.sweep),
    round('expired sessions', 600_000, options.people.sweep),
    round('old revocations', 3_600_000, options.endUsers.sweep),
    round('old audit entries', 3_600_000, options.audit.deleteOld),
    round('dead keys', 30_000, keys.forgetDeadKeys),
    round('uses of keys', 20_000, keys.saveUses),
    round('drafts of bots', 600_000, options.consoleBots.sweepDrafts),
    round('knowledge without a job', 600_000, options.knowledge.takeUp),
    round('expired idempotency keys', 60_000, idempotency.deleteExpired),
    round('unsettled idempotency keys', 1_000, idempotency.settle),
    startLogWatch(options),
  ];
  const ignoreUncertainCommits = reportUncertainCommits(options.database, options.bus);
  const nodesGone = watchForNodesGone({
    ...options,
    takeOver() {
      for (const { runNow } of takingOver) runNow();
      jobs.wake();
    },
  });

  return {
    ignoreNodesGone: () => nodesGone.end(),
    async stop() {
      ignoreUncertainCommits();
      await Promise.all(rounds.map(({ stop }) => stop()));
    },
  };
}
