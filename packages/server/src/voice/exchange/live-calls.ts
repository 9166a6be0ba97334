import type { BotSettings } from '@svc/contract/bots';
import type { CallDesk } from '../../tools/service.ts';
import type { VoiceCallRow } from '../../voice-calls/records/service.ts';
import type { Keypad } from '../session/keypad.ts';
import type { Talk } from '../session/talk-ports.ts';

/** A call whose line is on this node. */
export interface LiveCall {
  row: VoiceCallRow;
  talk: Talk;
  settings: BotSettings;
  keypad: Keypad;
  /** Resolves when its record is complete. */
  ended: Promise<void>;
}

export interface LiveCalls extends CallDesk {
  add(call: LiveCall): void;
  find(callId: string): LiveCall | undefined;
  remove(callId: string): void;
  all(): LiveCall[];
  /** What was entered in a call; undefined if its line is not on this node. */
  keypadOf(workspaceId: string, callId: string): Keypad | undefined;
}

/** The calls whose lines are on this node, and what their bots may do with them. */
export function createLiveCalls(): LiveCalls {
  const calls = new Map<string, LiveCall>();

  /** Another workspace's call is none. */
  function own(workspaceId: string, callId: string): LiveCall | undefined {
    const call = calls.get(callId);
    return call?.row.workspaceId === workspaceId ? call : undefined;
  }

  return {
    add: (call) => void calls.set(call.row.id, call),
    find: (callId) => calls.get(callId),
    remove: (callId) => void calls.delete(callId),
    all: () => [...calls.values()],
    keypadOf: (workspaceId, callId) => own(workspaceId, callId)?.keypad,

    async end(workspaceId, conversationId) {
      const call = own(workspaceId, conversationId);
      call?.talk.endAfterFarewell();
      return call !== undefined;
    },

    async transfer(workspaceId, conversationId) {
      const call = own(workspaceId, conversationId);
      if (!call) return 'no call';
      const number = call.settings.call_transfer_number;
      if (!number) return 'no number';
      return (await call.talk.transfer(number)) ? 'transferred' : 'failed';
    },
  };
}
