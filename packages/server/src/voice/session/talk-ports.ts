import type { CallEndReason } from '@svc/contract/calls';
import type { StreamEvent } from '../../events/event.ts';
import type { Log } from '../../lib/log.ts';
import type { Speaker, TranscriptEvents, TranscriptStream } from '../speech/speech.ts';
import type { Line } from '../transports/call-transport.ts';
import type { ActivityDetector } from './hearing.ts';
import type { Keypad } from './keypad.ts';
import type { Phrases } from './phrases.ts';

/** What the talk needs of the rest of the service. None of these reject unless it says so. */
export interface TalkPorts {
  /** Begins a turn with what the caller said; rejects if it cannot. */
  beginTurn(turnId: string, text: string): Promise<void>;
  /** Ends the turn that is running, and resolves when it is over. */
  stopTurn(): Promise<void>;
  /** Reports the events of the conversation until the returned function is called, or it is deleted or cannot be read. */
  follow(
    onEvents: (events: readonly StreamEvent[]) => void,
    onGone: (why: 'deleted' | 'unreadable') => void,
  ): () => void;
  /** Adds to the transcript what was said outside of turns. */
  note(spoken: { id: string; role: 'user' | 'assistant'; text: string }): Promise<void>;
  /** Shortens what the bot said in the transcript. */
  cut(messageId: string, heard: string): Promise<void>;
  saveTimes(turnId: string, times: TurnTimes): void;
  /** Whether something is to be said while this function of a tool runs, and after it. */
  spokenAbout(tool: CalledTool): { during: boolean; after: boolean };
  onSpoken(characters: number): void;
}

/** A function of a tool, and the type of the tool. */
export interface CalledTool {
  name: string;
  type: string;
}

export interface TurnTimes {
  endOfTurnMs: number | null;
  textMs: number | null;
  modelMs: number | null;
  speechMs: number | null;
  interrupted: boolean;
}

export interface TalkOptions {
  line: Line;
  speaker: Speaker;
  detector: ActivityDetector;
  listen(events: TranscriptEvents): TranscriptStream;
  phrases: Phrases;
  keypad: Keypad;
  greeting: string;
  ports: TalkPorts;
  /** Nobody hears anything any more, once; the transcript may not be complete. */
  onOver(): void;
  /** The talk is over and its transcript is complete, once; the line may still be open. */
  onEnd(reason: CallEndReason, detail?: string): void;
  log: Log;
}

export interface Talk {
  /** Says goodbye, if there is something to say, and ends the talk. */
  end(reason: CallEndReason, farewell?: string): void;
  /** Ends the talk when what is being said was heard. */
  endAfterFarewell(): void;
  /** Ends the talk at once, as for a line that is gone; resolves when the transcript is complete. */
  close(reason: CallEndReason, detail?: string): Promise<void>;
  transfer(to: string): Promise<boolean>;
}
