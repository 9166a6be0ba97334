import type { ApprovalContext } from '@svc/contract/approvals';
import { visibleText } from '../../visible-text.ts';
import type { ApprovalRow } from '../store.ts';

export interface NoticeMail {
  to: string;
  subject: string;
  text: string;
}

/** Hands a mail to the service's own mail server; throws when it was not taken. */
export type SendMail = (mail: NoticeMail, signal: AbortSignal) => Promise<void>;

interface MailParts {
  to: string;
  botName: string;
  approval: Pick<ApprovalRow, 'toolName' | 'context' | 'expiresAt'>;
  link: string;
}

const longestCall = 4_000;

/** Our link comes first and the call is quoted line by line: what a model wrote cannot pass for what we say. */
export function noticeMail({ to, botName, approval, link }: MailParts): NoticeMail {
  const quoted = summaryOf(approval.context)
    .slice(0, longestCall)
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
      '',
    ].join('\n'),
  };
}

function summaryOf(context: ApprovalContext): string {
  switch (context.kind) {
    case 'call':
      return context.summary;
    case 'command':
      return `${context.command}\n(in ${context.cwd} on ${context.machine})`;
    case 'diff':
      return `${context.path}\n${context.diff}`;
  }
}

function oneLine(text: string): string {
  return visibleText(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 200));
}
