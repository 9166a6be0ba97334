import type { ApprovalContext } from '@svc/contract/approvals';
import { visibleText } from '@svc/contract/visible-text';
import type { Mail } from '../../egress/mailer.ts';
import type { ApprovalRow } from '../approvals.store.ts';
import { titleOf } from '../approvals.wire.ts';

interface MailParts {
  to: string;
  botName: string;
  approval: Pick<
    ApprovalRow,
    | 'toolName'
    | 'titleTemplate'
    | 'context'
    | 'arguments'
    | 'argumentsSchema'
    | 'editedArguments'
    | 'expiresAt'
  >;
  link: string;
}

const maxCallCharacters = 4_000;

/** Our link comes first and every line of the call is quoted, so that text by a model cannot pass for ours. */
export function noticeMail({ to, botName, approval, link }: MailParts): Mail {
  const title = titleOf(approval);
  const { context } = approval;
  const summary = title && context.kind === 'call' ? `${title}\n${summaryOf(context)}` : summaryOf(context);
  const leftOut = summary.length - maxCallCharacters;
  const quoted = summary
    .slice(0, maxCallCharacters)
    .split(/\r\n|\p{Zl}|\p{Zp}|[\r\n]/u)
    .map((line) => `> ${visibleText(line)}`);
  return {
    to,
    subject: oneLine(`Approval needed: ${title ?? approval.toolName}`),
    text: [
      oneLine(`${botName} is waiting for your decision.`),
      '',
      'Look at the call and answer here, without signing in:',
      link,
      '',
      `Without an answer by ${approval.expiresAt.toISOString()} it counts as denied.`,
      '',
      oneLine(`The call of ${approval.toolName}:`),
      ...quoted,
      ...(leftOut > 0 ? ['', `This is not all of it: the page shows ${leftOut} more characters.`] : []),
      '',
    ].join('\n'),
  };
}

function summaryOf(context: ApprovalContext): string {
  switch (context.kind) {
    case 'call':
      return context.summary;
    case 'command':
      return `In ${context.cwd} on ${context.machine}:\n${context.command}`;
    case 'diff':
      return `${context.path}\n${context.diff}`;
  }
}

function oneLine(text: string): string {
  return visibleText(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 200));
}
