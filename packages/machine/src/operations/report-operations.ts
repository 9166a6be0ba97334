import type { OperationFrame, OperationName, Outcome } from '@svc/contract/machine-protocol';
import { escapeText } from '../terminal/escape-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeOperation, describeOutcome } from './describe-operation.ts';

/** Shows in the terminal what is done, for whom, with what outcome. */
export function reportOperations(terminal: Terminal) {
  return {
    /** Returns what reports the end. Only operations with effects are announced: reads are over in a moment. */
    started(frame: OperationFrame, isAnnounced: boolean): (outcome: Outcome) => void {
      const startedAt = performance.now();
      const what = subject(frame);
      if (isAnnounced) terminal.line(`${what}: started`);
      return (outcome) => {
        const tone = outcome.status === 'ok' ? (isAnnounced ? 'good' : 'quiet') : 'bad';
        const duration = durationText(performance.now() - startedAt);
        terminal.line(`${what}: ${describeOutcome(frame.name, outcome)} (${duration})`, tone);
      };
    },
    malformed(name: OperationName, fault: string): void {
      terminal.line(`${name}: not started, ${escapeText(fault)}`, 'bad');
    },
    refused(frame: OperationFrame, reason: string): void {
      terminal.line(`${subject(frame)}: not started, ${escapeText(reason)}`, 'bad');
    },
    recovered({ id, name }: { id: string; name: OperationName }, outcome: Outcome): void {
      terminal.line(`${name} ${id} was interrupted: ${describeOutcome(name, outcome)}`, 'bad');
    },
  };
}

function subject(frame: OperationFrame): string {
  const { bot, conversation_id: conversation } = frame.requested_by;
  const bots = bot === null ? 'svc' : escapeText(bot, 60);
  const where = conversation === null ? '' : ` in conversation ${escapeText(conversation, 40)}`;
  return `[${bots}${where}] ${describeOperation(frame)}`;
}

function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
