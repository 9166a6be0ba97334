import type { CancelFrame } from '@svc/contract/machine-protocol';
import { oneAtATime } from '../../lib/one-at-a-time.ts';
import type { Services } from '../../services.ts';
import type { MachineLocation } from './decide-next.ts';
import type { Locator, Sighting } from './locate-machines.ts';

export interface CancellationsDependencies extends Pick<Services, 'log'> {
  locator: Locator;
  send(machineId: string, location: MachineLocation, frame: CancelFrame): void;
  cancelMs: number;
}

interface Pending {
  machineId: string;
  giveUpAt: number;
  /** The connection that it was sent to, which may have been dead already. */
  sentTo?: string;
}

/** Sends cancellations to machines, and again when they reconnect, until the operation ends or time is up. */
export function createCancellations({ locator, send, cancelMs, log }: CancellationsDependencies) {
  /** By the id of the operation. */
  const pending = new Map<string, Pending>();
  const looking = oneAtATime('cancel operations', log, async () => {
    const wanted = [...pending];
    const sightings = await locator.everywhere(machineIds());
    for (const [id, one] of wanted) deliver(id, one, sightings.get(one.machineId));
  });

  const machineIds = () => [...pending.values()].map(({ machineId }) => machineId);

  function deliver(id: string, one: Pending, sighting: Sighting | undefined): void {
    // The machine was revoked.
    if (!sighting) return void pending.delete(id);
    const { location } = sighting;
    if (!location || location.connectionId === one.sentTo || !pending.has(id)) return;
    one.sentTo = location.connectionId;
    send(one.machineId, location, { type: 'cancel', id });
  }

  /** Sends what is due; called when a machine may have connected, and regularly while some are pending. */
  function advance(): void {
    const now = performance.now();
    for (const [id, one] of pending) {
      const sighting = locator.here(one.machineId);
      if (now >= one.giveUpAt) pending.delete(id);
      else if (sighting) deliver(id, one, sighting);
    }
    if (machineIds().some((id) => !locator.here(id))) looking.run();
  }

  return {
    add(machineId: string, operationId: string): void {
      pending.set(operationId, { machineId, giveUpAt: performance.now() + cancelMs });
      advance();
    },
    /** The operation has a result: it has ended. */
    settle(machineId: string, operationId: string): void {
      if (pending.get(operationId)?.machineId === machineId) pending.delete(operationId);
    },
    advance,
    isWaiting: () => pending.size > 0,
    isWaitingFor: (machineId: string): boolean => machineIds().includes(machineId),
    async close(): Promise<void> {
      pending.clear();
      await looking.idle();
    },
  };
}
