import type { ApprovalContext } from '@svc/contract/approvals';
import { visibleText } from '@svc/contract/visible-text';
import type { ApprovalRow } from '../approvals.store.ts';

export interface NoticeMail {
  to: string;
  subject: string;
  text: string;
}

/** Sends a mail through the service's own mail server; throws if that does not accept it. */
export type SendMail = (mail: NoticeMail, signal: AbortSignal) => Promise<void>;

interface MailParts {
  to: string;
  botName: string;
  approval: Pick<ApprovalRow, 'toolName' | 'context' | 'expiresAt'>;
  link: string;
}

const maxCallCharacters = 4_000;

/** Our link comes first and every line of the call is quoted, so that text by a model cannot pass for ours. */
export function noticeMail({ to, botName, approval, link }: MailParts): NoticeMail {
  const summary = summaryOf(approval.context);
  const leftOut = summary.length - maxCallCharacters;
  const quoted = summary
    .slice(0, maxCallCharacters)
    .split(/\r\n|\p{Zl}|\p{Zp}|[\r\n]/u)
    .map((line) => `> ${visibleText(line)}`);
  return {
    to,
    subject: oneLine(`Approval needed: ${approval.toolName}`),
    text: [
      oneLine(`${botName} asks whether it may call ${approval.toolName}.`),
      '',
      'Look at the call and answer here, without signing in:',
      link,
      '',
      `Without an answer by ${approval.expiresAt.toISOString()} it counts as denied.`,
      '',
      'The call:',
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
