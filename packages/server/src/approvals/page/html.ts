import { createHash } from 'node:crypto';
import type { ApprovalContext, ApprovalStatus } from '@svc/contract/approvals';
import { visibleJson, visibleText } from '@svc/contract/visible-text';
import { canonicalJson } from '../../idempotency/canonical-json.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { timeLeft } from '../../lib/time-left.ts';
import type { ApprovalRow } from '../approvals.store.ts';
import { expiryReasons, isToolChange } from '../expiry-reasons.ts';
import { style } from './style.ts';

/** Loads nothing from anywhere, runs no script, and posts only to itself. */
export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const longestMessage = 600;
/** What the form accepts. */
export const maxEditedCharacters = 200_000;

/** The question and who asks it. */
export interface Question {
  row: ApprovalRow;
  botName: string;
  lastMessage: string | undefined;
  /** It works on a paired machine, so that only people whom its owner allows may approve it. */
  isOnMachine: boolean;
  now: Date;
}

/** Why an answer was not accepted, with the changes that were typed. */
export interface Problem {
  status: number;
  message: string;
  edited?: string;
}

/** Of the call that a page shows. An answer carries it back, so that it counts for that call only. */
export function digestOf({ id, toolName, arguments: given, context }: ApprovalRow): string {
  return createHash('sha256')
    .update(canonicalJson([id, toolName, given, context]))
    .digest('base64url');
}

/** The exact call and its answers, readable on a phone and without a mouse. */
export function questionPage(question: Question, problem?: Problem): string {
  const { row, botName, lastMessage, isOnMachine, now } = question;
  const proposed = visibleJson(row.arguments);
  const edited = problem?.edited ?? proposed;
  const isEdited = problem?.edited !== undefined;
  const title = `Approve ${visibleText(row.toolName)}?`;
  const start = `<form method="post"><input type="hidden" name="shown" value="${digestOf(row)}">`;
  return page(
    problem ? `Not accepted: ${title}` : title,
    `<h1>Approve <code>${shown(row.toolName)}</code>?</h1>
<p class="wait"><strong>${shown(botName)}</strong> wants to do this and is waiting for your decision. ${deadline(row.expiresAt, now)}</p>
${problem ? `<p id="problem" role="alert">${escapeHtml(problem.message)}</p>` : ''}
${lastMessage ? `<h2>The last message it was sent</h2><blockquote>${shown(clipped(lastMessage))}</blockquote>` : ''}
${describe(row.context)}
<h2>Arguments</h2><pre>${escapeHtml(proposed)}</pre>
${isOnMachine ? signIn(row, 'This works on a paired machine. To approve it') : approving()}
<details><summary>Deny</summary>
${start}${isOnMachine ? '' : reasonField}
<button class="deny" name="action" value="deny">Deny</button></form></details>`,
  );

  function approving(): string {
    const approve = `${start}<button name="action" value="approve">Approve</button></form>`;
    if (!row.linkEdit) return `${approve}\n${signIn(row, 'To change the arguments first')}`;
    return `${approve}\n${proposed.length > maxEditedCharacters ? tooLong : editor(start, edited, isEdited)}`;
  }
}

const reasonField = `<label for="text">Why? The agent is told. (optional)</label>
<textarea id="text" name="text" maxlength="4000"></textarea>`;
const tooLong = '<p class="note">These arguments are too long to be changed on this page.</p>';

function signIn({ id, workspaceId }: ApprovalRow, why: string): string {
  const path = `/w/${workspaceId}/approvals/${id}`;
  return `<p class="note">${why}, <a href="${path}">sign in to the console</a>.</p>`;
}

function editor(start: string, edited: string, isEdited: boolean): string {
  return `<details${isEdited ? ' open' : ''}><summary>Change before it runs</summary>
${start}<label for="edited">Arguments as JSON</label>
<textarea id="edited" name="edited_args" rows="8" spellcheck="false"${isEdited ? ' aria-invalid="true" aria-describedby="problem"' : ''}>
${escapeHtml(edited)}</textarea>
<button class="edit" name="action" value="approve_edited">Approve with these changes</button></form></details>`;
}

/** The time left for people in a hurry, and the exact time. */
function deadline(expiresAt: Date, now: Date): string {
  const exact = `<time datetime="${expiresAt.toISOString()}">${escapeHtml(expiresAt.toUTCString())}</time>`;
  return `It can be answered for another <strong>${timeLeft(expiresAt, now)}</strong>, until ${exact}.`;
}

/** Never ends with half a surrogate pair. */
function clipped(text: string): string {
  if (text.length <= longestMessage) return text;
  return `${text.slice(0, longestMessage).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const words: Record<ApprovalStatus, string> = {
  pending: 'This waits for an answer.',
  approved: 'This is approved.',
  approved_edited: 'This is approved, with changes.',
  denied: 'This is denied.',
  cancelled: 'This was withdrawn.',
  expired: 'This request is no longer valid.',
};

export function answeredPage({ status, reason }: Pick<ApprovalRow, 'status' | 'reason'>): string {
  const why = status === 'expired' ? ` ${reason ?? expiryReasons.late} Nothing runs.` : '';
  const again = status === 'expired' && isToolChange(reason) ? ' The agent is told, and may ask again.' : '';
  return page(
    words[status],
    `<h1>${words[status]}</h1><p>${escapeHtml(`${why}${again} There is nothing more to do here: you can close this page.`.trim())}</p>`,
  );
}

export function unknownPage(): string {
  return page(
    'Not found',
    '<h1>This link leads nowhere.</h1><p>It may be mistyped, or what it asked about is gone.</p>',
  );
}

function describe(context: ApprovalContext): string {
  switch (context.kind) {
    case 'diff':
      return `<h2>Change to <code>${shown(context.path)}</code></h2><pre>${diffLines(context.diff)}</pre>`;
    case 'command':
      return `<h2>Command on ${shown(context.machine)}</h2><pre>${shown(context.command)}</pre><p class="note">in ${shown(context.cwd)}</p>`;
    case 'call':
      return `<h2>Call</h2><pre>${shown(context.summary)}</pre>`;
  }
}

function diffLines(diff: string): string {
  return diff
    .split('\n')
    .map((line) => {
      const kind = line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : '';
      return kind ? `<span class="${kind}">${shown(line)}</span>` : shown(line);
    })
    .join('\n');
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><main>${body}</main></body></html>`;
}

/** Text by others: invisible characters are shown, and nothing is interpreted as markup. */
function shown(text: string): string {
  return escapeHtml(visibleText(text));
}
