import type { ScheduleService } from '../agents/schedules/schedules.service.ts';
import type { Bus } from '../bus/bus.ts';
import type { LiveService } from '../console/live/console-live.service.ts';
import type { Listener } from '../database/listener.ts';
import type { EvaluationService } from '../evaluations/evaluations.service.ts';
import type { FrontDoor } from '../http/front-door.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { OpenedKnowledge } from '../knowledge/open-knowledge.ts';
import type { Log } from '../lib/log.ts';
import type { OpenedMachines } from '../machines/open-machines.ts';
import type { ApartNotes } from '../nodes/apart-notes.ts';
import { anyNode, nodeGone } from '../nodes/node-gone.ts';
import type { Presence } from '../nodes/presence.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { OpenedTurns } from '../turns/open-turns.ts';
import { stopJsonChecks } from '../validation/json-schema/check-json.ts';
import type { OpenedHttp } from './open-http.ts';
import type { Outbound } from './open-outbound.ts';
import type { Rounds } from './start-rounds.ts';

export interface StopDependencies {
  door: FrontDoor;
  web: Pick<OpenedHttp, 'http' | 'streams'>;
  schedules: Pick<ScheduleService, 'stop'>;
  evaluations: Pick<EvaluationService, 'release'>;
  engine: Pick<OpenedTurns, 'stop'>;
  voice: { stop(): Promise<void> };
  jobs: Pick<Jobs, 'stop'>;
  live: Pick<LiveService, 'stop'>;
  machines: Pick<OpenedMachines, 'stop'>;
  rounds: Rounds;
  apart: ApartNotes;
  presence: Presence;
  bus: Bus;
  listener: Listener;
  telemetry: Telemetry;
  knowledge: Pick<OpenedKnowledge, 'stop'>;
  outbound: Pick<Outbound, 'close'>;
  log: Log;
}

/** How long requests and work in progress have, unless the caller says otherwise. */
const defaultGraceMilliseconds = 6_000;
/** How long handing over the work in progress may take once its time is up. */
const handOverMilliseconds = 2_000;
/** How long each part may take to close: one that hangs must not hold up the others. */
const closeMilliseconds = 1_000;
/** How long the last bytes of a response have to reach their reader. */
const flushMilliseconds = 250;

/** Returns the function that hands over the work of this node and closes everything except the database. */
export function createStop(parts: StopDependencies): (graceMilliseconds?: number) => Promise<void> {
  const { door, web, schedules, evaluations, engine, jobs, rounds, apart, presence, bus, log } = parts;
  return async (graceMilliseconds = defaultGraceMilliseconds) => {
    const graceEndsAt = performance.now() + graceMilliseconds;
    const step = createStopStep(log);
    const handOver = (name: string, work: () => Promise<void>) =>
      step(name, graceMilliseconds + handOverMilliseconds, work);
    const close = (name: string, work: () => Promise<void>) => step(name, closeMilliseconds, work);

    schedules.stop();
    rounds.ignoreNodesGone();
    apart.stop();
    // Requests are answered until the work is handed over, because a load balancer takes a moment to notice.
    door.drain();
    web.streams.endAll('channel');
    parts.live.stop();
    await Promise.all([
      handOver('evaluations', () => evaluations.release()),
      handOver('calls', () => parts.voice.stop()),
      handOver('turns', () => engine.stop(graceMilliseconds)),
      handOver('jobs', () => jobs.stop(graceMilliseconds)),
    ]);
    const delivered = parts.telemetry.stop();
    web.streams.endAll('turn');
    await close('machines', () => parts.machines.stop());
    await door.close(Math.max(graceEndsAt - performance.now(), flushMilliseconds));
    await close('presence', () => presence.stop());
    bus.publish(nodeGone, anyNode, presence.nodeId);
    await Promise.all([
      close('bus', () => bus.close()),
      close('HTTP', () => web.http.close()),
      close('listener', () => parts.listener.stop()),
      close('rounds', () => rounds.stop()),
      close('telemetry', () => delivered),
    ]);
    await close('knowledge', () => parts.knowledge.stop());
    await close('outbound connections', () => parts.outbound.close());
    await close('JSON checks', () => stopJsonChecks());
  };
}

type StopStep = (name: string, withinMilliseconds: number, step: () => Promise<unknown>) => Promise<void>;

/** Runs the steps of stopping. One that fails or takes too long is logged and left behind, so that the others still run. */
function createStopStep(log: Log): StopStep {
  return async (name, withinMilliseconds, step) => {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      log.warn({ name }, 'A step of stopping takes too long and is left behind.');
      late.resolve();
    }, withinMilliseconds);
    const done = step().catch((error: unknown) => {
      log.warn({ err: error, name }, 'A step of stopping failed.');
    });
    await Promise.race([done, late.promise]);
    clearTimeout(timer);
  };
}
