import { setTimeout as sleep } from 'node:timers/promises';
import type { CallEndReason } from '@svc/contract/calls';
import type { Bus, TopicKind } from '../../bus/bus.ts';
import type { CallRecords, VoiceCallRow } from '../../voice-calls/records/service.ts';

interface CallToEnd {
  callId: string;
  reason: CallEndReason;
  detail?: string;
}

/** A call that the process with its line should end. */
const callToEnd: TopicKind<CallToEnd> = { name: 'call to end' };
const anyProcess = 'any';

export interface SharedEndDependencies {
  bus: Pick<Bus, 'publish' | 'subscribe' | 'reach'>;
  callRecords: Pick<CallRecords, 'find'>;
  /** Ends the call if its line is here. Never rejects. */
  endHere(call: CallToEnd): Promise<unknown>;
}

export interface SharedEnds {
  /** Harmless if no process has the line. */
  tell(call: CallToEnd): void;
  /** The same, and waits until the call is over: false if nobody has ended it in time. */
  end(row: VoiceCallRow, reason: CallEndReason, detail?: string): Promise<boolean>;
  stop(): void;
}

const lookEveryMs = 100;
/** Somebody waits for it. A process that has the line takes much less, unless it is gone or the bus is lost. */
const endedWithinMs = 5_000;

/** Only the process with the line of a call knows its last words and what it cost, and any process may be asked to end it. */
export function shareEnds({ bus, callRecords, endHere }: SharedEndDependencies): SharedEnds {
  const ending = bus.subscribe(callToEnd, anyProcess, {
    onMessage: (call) => void endHere(call),
    // The process that asked ends the record after a while, and the line is closed for that.
    onLost: () => undefined,
  });
  const tell = (call: CallToEnd) => bus.publish(callToEnd, anyProcess, call);

  return {
    tell,
    async end({ workspaceId, id }, reason, detail) {
      if (bus.reach === undefined) return false;
      tell({ callId: id, reason, ...(detail !== undefined && { detail }) });
      const askedAt = performance.now();
      while (performance.now() - askedAt < endedWithinMs) {
        const row = await callRecords.find(workspaceId, id);
        if (!row || row.endedAt) return true;
        await sleep(lookEveryMs);
      }
      return false;
    },
    stop: () => ending.end(),
  };
}
