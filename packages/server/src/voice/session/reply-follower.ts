import type { StreamEvent } from '../../events/event.ts';
import { createSentenceCutter, type SentenceCutter, type SpokenPiece } from './sentences.ts';
import type { CalledTool } from './talk-ports.ts';

/** What happens in the turns of a call, for the ears of the caller. */
export interface ReplyEvents {
  /** A piece of a message can be spoken. False if the caller will not hear it, so that it must not stay in the transcript. */
  onPiece(messageId: string, turnId: string | null, piece: SpokenPiece): boolean;
  /** A reply was stored of which the end, or some of it, was not or will not be spoken. */
  onBrokenOff(messageId: string, content: string): void;
  /** A message will not be completed: another takes its place. May be repeated. */
  onRetracted(messageId: string): void;
  onToolStarted(callId: string, tool: CalledTool): void;
  onToolCompleted(callId: string, tool: CalledTool): void;
  onPaused(turnId: string): void;
  onResumed(turnId: string): void;
  /** The turn is over. */
  onTurnEnd(turnId: string, outcome: 'completed' | 'interrupted' | 'failed', code?: string): void;
}

interface Reading {
  cutter: SentenceCutter;
  /** How much of the message was received. */
  length: number;
  isBroken: boolean;
  isDropped: boolean;
}

/** Turns the events of a conversation into pieces that can be spoken. Messages outside of turns are not spoken again. */
export function createReplyFollower(events: ReplyEvents): (batch: readonly StreamEvent[]) => void {
  const readings = new Map<string, Reading>();
  const tools = new Map<string, CalledTool>();

  function readingOf(messageId: string): Reading {
    const known = readings.get(messageId);
    if (known) return known;
    const reading = { cutter: createSentenceCutter(), length: 0, isBroken: false, isDropped: false };
    readings.set(messageId, reading);
    return reading;
  }

  function pass(messageId: string, turnId: string | null, pieces: readonly SpokenPiece[]): void {
    const reading = readingOf(messageId);
    for (const piece of pieces) if (!events.onPiece(messageId, turnId, piece)) reading.isDropped = true;
  }

  function read(messageId: string, turnId: string | null, offset: number, text: string): void {
    const reading = readingOf(messageId);
    // What is missing comes with the complete message.
    if (offset > reading.length) reading.isBroken = true;
    if (reading.isBroken) return;
    const news = text.slice(reading.length - offset);
    reading.length += news.length;
    pass(messageId, turnId, reading.cutter.push(news));
  }

  function complete(messageId: string, turnId: string, content: string): void {
    const reading = readingOf(messageId);
    const pieces = [...reading.cutter.push(content.slice(reading.length)), ...reading.cutter.flush()];
    pass(messageId, turnId, pieces);
    readings.delete(messageId);
    if (reading.isDropped) events.onBrokenOff(messageId, content);
  }

  const endTurn: ReplyEvents['onTurnEnd'] = (turnId, outcome, code) => {
    readings.clear();
    tools.clear();
    events.onTurnEnd(turnId, outcome, code);
  };

  function handle(event: StreamEvent): void {
    switch (event.type) {
      case 'message.delta':
        return read(event.data.message_id, event.turnId, event.data.offset, event.data.text);
      case 'stream.snapshot':
        if (event.data.text !== '') return read(event.data.message_id, event.turnId, 0, event.data.text);
        readings.delete(event.data.message_id);
        return events.onRetracted(event.data.message_id);
      case 'message.completed': {
        const { message } = event.data;
        if (event.turnId === null || message.role !== 'assistant') return;
        if (!message.interrupted) return complete(message.id, event.turnId, message.content);
        // Once: a reply that was shortened afterwards comes again.
        if (readings.delete(message.id)) events.onBrokenOff(message.id, message.content);
        return;
      }
      case 'tool.started': {
        const { tool_call_id: callId, tool_name: name, tool_type: type } = event.data;
        tools.set(callId, { name, type });
        return events.onToolStarted(callId, { name, type });
      }
      case 'tool.completed': {
        const tool = tools.get(event.data.tool_call_id);
        tools.delete(event.data.tool_call_id);
        if (tool) events.onToolCompleted(event.data.tool_call_id, tool);
        return;
      }
      case 'turn.paused':
        return events.onPaused(event.data.turn_id);
      case 'turn.resumed':
        return events.onResumed(event.data.turn_id);
      case 'turn.completed':
        return endTurn(event.data.turn_id, 'completed');
      case 'turn.interrupted':
        return endTurn(event.data.turn_id, 'interrupted');
      case 'turn.failed':
        return endTurn(event.data.turn_id, 'failed', event.data.error.code);
      // Nothing to say about these.
      case 'turn.started':
      case 'tool.progress':
      case 'approval.requested':
      case 'approval.resolved':
      case 'conversation.needs_human':
      case 'conversation.truncated':
      case 'message.operator':
      case 'stream.gap':
        return;
    }
  }

  return (batch) => batch.forEach(handle);
}
