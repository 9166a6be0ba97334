import { setTimeout as sleep } from 'node:timers/promises';
import type { CallEndReason } from '@svc/contract/calls';
import type { Bus, TopicKind } from '../../bus/bus.ts';
import type { Log } from '../../lib/log.ts';
import type { CallRecords, VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { toDetail } from './end-call.ts';

interface CallToEnd {
  callId: string;
  reason: CallEndReason;
  detail?: string;
}

/** A call that the process with its line should end, if its record says so. Releases before this one believe the message. */
const callToEnd: TopicKind<CallToEnd> = { name: 'call to end' };
const anyProcess = 'any';

export interface SharedEndDependencies {
  bus: Pick<Bus, 'publish' | 'subscribe' | 'reach'>;
  callRecords: Pick<CallRecords, 'find' | 'findAnywhere' | 'requestEnd'>;
  /** Ends the call if its line is here. */
  endHere(call: CallToEnd): Promise<unknown>;
  log: Log;
}

export interface SharedEnds {
  /** The record of the call has ended: its line is closed, if a process has it. */
  tell(call: CallToEnd): void;
  /** Asks the process with the line to end the call, and waits until the call is over: false if nobody has ended it in time. */
  end(row: VoiceCallRow, reason: CallEndReason, detail?: string): Promise<boolean>;
  stop(): void;
}

const lookEveryMs = 100;
/** Somebody waits for it. A process that has the line takes much less, unless it is gone or the bus is lost. */
const endedWithinMs = 5_000;

/** Only the process with the line of a call knows its last words and what it cost, and any process may be asked to end it. */
export function shareEnds({ bus, callRecords, endHere, log }: SharedEndDependencies): SharedEnds {
  const ending = bus.subscribe(callToEnd, anyProcess, {
    onMessage({ callId }) {
      endAsRecorded(callId).catch((error: unknown) => {
        log.error({ err: error }, 'A call could not be ended for another node.');
      });
    },
    // The process that asked ends the record after a while, and the line is closed for that.
    onLost: () => undefined,
  });
  const tell = (call: CallToEnd) => bus.publish(callToEnd, anyProcess, call);

  async function endAsRecorded(callId: string): Promise<void> {
    const row = await callRecords.findAnywhere(callId);
    const reason = row?.endReason ?? row?.endRequestedReason;
    if (!row || !reason) return;
    const detail = row.endReason ? row.endDetail : row.endRequestedDetail;
    await endHere({ callId, reason, ...(detail !== null && { detail }) });
  }

  return {
    tell,
    async end(row, reason, detail) {
      if (bus.reach === undefined) return false;
      const { workspaceId, id } = row;
      await callRecords.requestEnd(row, reason, toDetail(detail));
      tell({ callId: id, reason, ...(detail !== undefined && { detail }) });
      const askedAt = performance.now();
      while (performance.now() - askedAt < endedWithinMs) {
        const current = await callRecords.find(workspaceId, id);
        if (!current || current.endedAt) return true;
        await sleep(lookEveryMs);
      }
      return false;
    },
    stop: () => ending.end(),
  };
}
