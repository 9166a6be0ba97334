import type { Approval, ApprovalContext } from '@svc/contract/approvals';
import { timeLeft } from '../../time-left.ts';
import { visibleText } from '../../visible-text.ts';

export interface ShownApproval {
  approval: Approval;
  botName: string;
  /** Which one of how many. */
  place: string;
  now: Date;
}

/** What is asked, exactly. Every line that a model could have written is marked as such. */
export function approvalText({ approval, botName, place, now }: ShownApproval): string {
  const { tool_name: name, context, arguments: given, expires_at: expiresAt } = approval;
  const left = timeLeft(new Date(expiresAt), now);
  return [
    visibleText(oneLine(`${place}${botName} asks: may it call ${name}? (${left} left to answer)`)),
    ...describe(context),
    'Arguments:',
    ...quoted(JSON.stringify(given, null, 2)),
  ].join('\n');
}

function describe(context: ApprovalContext): string[] {
  switch (context.kind) {
    case 'diff':
      return [`Change to ${visibleText(oneLine(context.path))}:`, ...quoted(context.diff)];
    case 'command':
      return [
        `Command in ${visibleText(oneLine(context.cwd))} on ${visibleText(oneLine(context.machine))}:`,
        ...quoted(context.command),
      ];
    case 'call':
      return ['Call:', ...quoted(context.summary)];
  }
}

function quoted(text: string): string[] {
  return visibleText(text)
    .split('\n')
    .map((line) => `  │ ${line}`);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\n\t]+/g, ' ');
}
