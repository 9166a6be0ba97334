import type { TransferOutcome } from '../../tools/tools.service.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import type { Keypad } from '../talk/keypad.ts';
import type { Talk } from '../talk/talk.ts';

/** A call whose line is on this node. */
export interface LiveCall {
  row: VoiceCallRow;
  talk: Talk;
  /** Passes the caller on to the number in the bot's settings; the person there may be told what it is about. */
  transfer(about?: string): Promise<TransferOutcome>;
  keypad: Keypad;
  /** Resolves when its record is complete. */
  ended: Promise<void>;
}

export type LiveCalls = ReturnType<typeof createLiveCalls>;

/** The calls whose lines are on this node, and what their bots may do with them. */
export function createLiveCalls() {
  const calls = new Map<string, LiveCall>();

  /** A call of another workspace is not found. */
  function own(workspaceId: string, callId: string): LiveCall | undefined {
    const call = calls.get(callId);
    return call?.row.workspaceId === workspaceId ? call : undefined;
  }

  return {
    add: (call: LiveCall) => void calls.set(call.row.id, call),
    find: (callId: string): LiveCall | undefined => calls.get(callId),
    remove: (callId: string) => void calls.delete(callId),
    all: (): LiveCall[] => [...calls.values()],
    /** What was entered in a call; undefined if its line is not on this node. */
    keypadOf: (workspaceId: string, callId: string): Keypad | undefined => own(workspaceId, callId)?.keypad,

    async end(workspaceId: string, conversationId: string): Promise<boolean> {
      const call = own(workspaceId, conversationId);
      call?.talk.end('bot_hung_up');
      return call !== undefined;
    },

    async transfer(
      workspaceId: string,
      conversationId: string,
      about?: string,
    ): Promise<TransferOutcome | 'no call'> {
      return (await own(workspaceId, conversationId)?.transfer(about)) ?? 'no call';
    },
  };
}
