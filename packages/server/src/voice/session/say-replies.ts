import type { ReplyEvents } from './reply-follower.ts';
import type { SpokenPiece } from './sentences.ts';
import type { TalkTranscript } from './talk-transcript.ts';
import type { TalkTurns } from './talk-turns.ts';
import type { WaitingWords } from './waiting-words.ts';

export interface SayRepliesDependencies {
  turns: TalkTurns;
  transcript: Pick<TalkTranscript, 'addPiece' | 'brokeOff' | 'retract'>;
  waiting: WaitingWords;
  /** The bot says nothing any more. */
  isMuted(): boolean;
  /** The caller wants to say something. */
  isCallerTalking(): boolean;
  speak(messageId: string, piece: SpokenPiece): void;
}

/** Says what the turns of a talk write, and what the caller must know while they wait. */
export function sayReplies(dependencies: SayRepliesDependencies): ReplyEvents {
  const { turns, transcript, waiting, isMuted, isCallerTalking, speak } = dependencies;
  return {
    onPiece(messageId, ofTurn, piece) {
      const turnId = turns.replyingId;
      // A turn of somebody else's is written for other readers.
      if (turnId === undefined || isMuted()) return ofTurn !== turns.openId;
      // Words that are being said replace the reply.
      if (isCallerTalking() && turns.stopForCaller()) return false;
      waiting.repliesNow();
      turns.noteText(turnId);
      transcript.addPiece(messageId, turnId, piece.text);
      speak(messageId, piece);
      return true;
    },
    onBrokenOff: transcript.brokeOff,
    onRetracted: transcript.retract,
    onToolStarted(callId, tool) {
      turns.toolStarted(callId);
      waiting.toolStarted(tool);
    },
    onToolCompleted(callId, tool) {
      turns.toolCompleted(callId);
      waiting.toolCompleted(tool);
    },
    onPaused(turnId) {
      if (turns.pause(turnId)) waiting.paused();
    },
    onResumed(turnId) {
      turns.resume(turnId);
      waiting.resumed();
    },
    onTurnEnd: turns.end,
  };
}
