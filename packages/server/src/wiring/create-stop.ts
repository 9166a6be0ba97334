import type { Listener } from '../database/listener.ts';
import type { FrontDoor } from '../http/front-door.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Log } from '../lib/log.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';
import { anyNode, nodeGone } from '../nodes/node-gone.ts';
import type { Feature, Ground, Services } from '../services.ts';
import { stopJsonChecks } from '../validation/json-schema/check-json.ts';
import type { Rounds } from './start-rounds.ts';

/** How long requests and work in progress have, unless the caller says otherwise. */
const defaultGraceMilliseconds = 6_000;
/** How long handing over the work in progress may take once its time is up. */
const handOverMilliseconds = 2_000;
/** How long each part may take to close: one that hangs must not hold up the others. */
const closeMilliseconds = 1_000;
/** How long the last bytes of a response have to reach their reader. */
const flushMilliseconds = 250;

/** Returns the function that hands over the work of this node and closes everything except the database. */
export function createStop(
  services: Ground & Pick<Services, 'streams'>,
  features: readonly Feature[],
  own: {
    door: FrontDoor;
    http: HttpApp;
    rounds: Rounds;
    listener: Listener;
    /** Ends the connections of paired machines. */
    disconnectMachines(): Promise<void>;
  },
): (graceMilliseconds?: number) => Promise<void> {
  const { bus, log, presence, streams, telemetry } = services;
  const { door, http, rounds, listener, disconnectMachines } = own;
  return async (graceMilliseconds = defaultGraceMilliseconds) => {
    const graceEndsAt = performance.now() + graceMilliseconds;
    const step = createStopStep(log);
    const close = (name: string, work: () => Promise<void>) => step(name, closeMilliseconds, work);

    rounds.ignoreNodesGone();
    // Requests are answered until the work is handed over, because a load balancer takes a moment to notice.
    door.drain();
    streams.endAll('channel');
    await Promise.all(
      features.map((feature) =>
        step(nameOf(feature), graceMilliseconds + handOverMilliseconds, async () =>
          feature.stop?.(graceMilliseconds),
        ),
      ),
    );
    const delivered = telemetry.stop();
    streams.endAll('turn');
    await close('machines', disconnectMachines);
    await door.close(Math.max(graceEndsAt - performance.now(), flushMilliseconds));
    await close('presence', () => presence.stop());
    bus.publish(nodeGone, anyNode, presence.nodeId);
    await Promise.all([
      close('bus', () => bus.close()),
      close('HTTP', () => http.close()),
      close('listener', () => listener.stop()),
      close('rounds', () => rounds.stop()),
      close('telemetry', () => delivered),
    ]);
    for (const feature of features.toReversed())
      if (feature.close) await close(nameOf(feature), feature.close);
    await close('JSON checks', () => stopJsonChecks());
  };
}

/** For the log: the first of its services say which feature it is. */
function nameOf({ services }: Feature): string {
  return Object.keys(services).slice(0, 3).join(', ');
}

type StopStep = (name: string, withinMilliseconds: number, step: () => Promise<unknown>) => Promise<void>;

/** Runs the steps of stopping. One that fails or takes too long is logged and left behind, so that the others still run. */
function createStopStep(log: Log): StopStep {
  return async (name, withinMilliseconds, step) => {
    const done = step().catch((error: unknown) => {
      log.warn({ err: error, name }, 'A step of stopping failed.');
    });
    if (!(await waitAtMost(withinMilliseconds, done)))
      log.warn({ name }, 'A step of stopping takes too long and is left behind.');
  };
}
