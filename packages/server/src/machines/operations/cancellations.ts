import type { CancelFrame } from '@svc/contract/machine-protocol';
import type { Log } from '../../log.ts';
import type { Place } from './decide-next.ts';
import type { Locator, Sighting } from './locate-machines.ts';
import { oneAtATime } from './one-at-a-time.ts';

export interface CancellationsDependencies {
  locator: Locator;
  send(machineId: string, place: Place, frame: CancelFrame): void;
  cancelMs: number;
  log: Log;
}

export interface Cancellations {
  add(machineId: string, operationId: string): void;
  /** Sends those whose machines have connected; to be called regularly while some wait. */
  advance(): void;
  isWaitingFor(machineId: string): boolean;
  isWaiting(): boolean;
  close(): Promise<void>;
}

/** Cancellations on their way to machines, which may have to reconnect first. */
export function createCancellations(dependencies: CancellationsDependencies): Cancellations {
  const { locator, send, cancelMs, log } = dependencies;
  /** By the id of the operation. */
  const pending = new Map<string, { machineId: string; giveUpAt: number }>();
  const looking = oneAtATime('cancel operations', log, async () => {
    const wanted = [...pending];
    const sightings = await locator.everywhere(machineIds());
    for (const [id, { machineId }] of wanted) deliver(id, machineId, sightings.get(machineId));
  });

  const machineIds = () => [...pending.values()].map(({ machineId }) => machineId);

  function deliver(id: string, machineId: string, sighting: Sighting | undefined): void {
    if (sighting && !sighting.place) return;
    // It may have been delivered while the database was asked.
    const isPending = pending.delete(id);
    if (isPending && sighting?.place) send(machineId, sighting.place, { type: 'cancel', id });
  }

  function advance(): void {
    for (const [id, { machineId, giveUpAt }] of pending) {
      const sighting = locator.here(machineId);
      if (sighting) deliver(id, machineId, sighting);
      else if (performance.now() >= giveUpAt) pending.delete(id);
    }
    if (pending.size > 0) looking.run();
  }

  return {
    add(machineId, operationId) {
      pending.set(operationId, { machineId, giveUpAt: performance.now() + cancelMs });
      advance();
    },
    advance,
    isWaitingFor: (machineId) => machineIds().includes(machineId),
    isWaiting: () => pending.size > 0,
    async close() {
      pending.clear();
      await looking.idle();
    },
  };
}
