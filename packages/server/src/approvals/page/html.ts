import { createHash } from 'node:crypto';
import type { ApprovalStatus } from '@svc/contract/approvals';
import { visibleJson, visibleText } from '@svc/contract/visible-text';
import { canonicalJson } from '../../idempotency/canonical-json.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { timeLeft } from '../../lib/time-left.ts';
import type { ApprovalRow } from '../approvals.store.ts';
import { titleOf } from '../approvals.wire.ts';
import { expiryReasons, isToolChange } from '../expiry-reasons.ts';

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
  const sentence = titleOf(row);
  const title = `Approve ${visibleText(sentence ?? row.toolName)}?`;
  const start = `<form method="post"><input type="hidden" name="shown" value="${digestOf(row)}">`;
  return page(
    problem ? `Not accepted: ${title}` : title,
    `<h1>${shown(sentence ?? `Approve ${row.toolName}?`)}</h1>
<p class="wait"><strong>${shown(botName)}</strong> wants to do this and is waiting for your decision. ${deadline(row.expiresAt, now)}</p>
${problem ? `<p id="problem" role="alert">${escapeHtml(problem.message)}</p>` : ''}
${lastMessage ? `<h2>The last message it was sent</h2><blockquote>${shown(clipped(lastMessage))}</blockquote>` : ''}
${describe(row, proposed)}
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

function describe(
  { context, arguments: given, toolName }: Pick<ApprovalRow, 'context' | 'arguments' | 'toolName'>,
  proposed: string,
): string {
  const all = `<h2>Arguments</h2><pre>${escapeHtml(proposed)}</pre>`;
  switch (context.kind) {
    case 'diff':
      return `<h2>Change to <code>${shown(context.path)}</code></h2><pre>${diffLines(context.diff)}</pre>${all}`;
    case 'command':
      return `<h2>Command on ${shown(context.machine)}</h2><pre>${shown(context.command)}</pre><p class="note">in ${shown(context.cwd)}</p>${all}`;
    case 'call': {
      const isAllThereIs = Object.keys(given).length === 0;
      const [first = ''] = context.summary.split('\n', 1);
      return `${all}<p class="note"><code>${shown(clipped(first))}</code></p><details${isAllThereIs ? ' open' : ''}><summary>The whole request</summary><p class="note">By the tool <code>${shown(toolName)}</code></p><pre>${shown(context.summary)}</pre></details>`;
    }
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

/** The look of the console, for a page that loads nothing: the colors are those of packages/console/src/styles.css. */
const style = `
:root{color-scheme:light dark;font:400 16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
--canvas:light-dark(oklch(.985 .002 240),oklch(.17 .006 240));--surface:light-dark(oklch(1 0 0),oklch(.208 .007 240));
--sunken:light-dark(oklch(.965 .003 240),oklch(.14 .006 240));--hover:light-dark(oklch(.95 .005 240),oklch(.275 .009 240));
--line:light-dark(oklch(.905 .006 240),oklch(.31 .009 240));--line-strong:light-dark(oklch(.62 .015 240),oklch(.56 .012 240));
--ink:light-dark(oklch(.22 .015 240),oklch(.955 .004 240));--ink-2:light-dark(oklch(.42 .016 240),oklch(.8 .01 240));
--accent:light-dark(oklch(.5 .085 210),oklch(.755 .105 210));--on-accent:light-dark(oklch(1 0 0),oklch(.235 .036 210));
--accent-ink:light-dark(oklch(.435 .074 210),oklch(.83 .08 210));--danger:light-dark(oklch(.53 .19 25),oklch(.7 .19 25));
--danger-ink:light-dark(oklch(.47 .17 25),oklch(.8 .114 25));--danger-tint:light-dark(oklch(.965 .017 25),oklch(.27 .045 25));
--paused-ink:light-dark(oklch(.47 .098 85),oklch(.8 .112 85));--paused-tint:light-dark(oklch(.965 .025 85),oklch(.27 .045 85));
--add:light-dark(oklch(.955 .035 150),oklch(.27 .045 150));--del:light-dark(oklch(.955 .022 25),oklch(.27 .045 25));
--mono:ui-monospace,"SF Mono","Cascadia Code",Menlo,Consolas,monospace}
body{margin:0;background:var(--canvas);color:var(--ink);font-variant-numeric:tabular-nums}
main{margin:0 auto;max-width:42rem;padding:1.25rem 1rem calc(2rem + env(safe-area-inset-bottom))}
h1{font-size:1.25rem;line-height:1.4;margin:0 0 .5rem;overflow-wrap:anywhere}
h2{font-size:.8125rem;font-weight:500;color:var(--ink-2);margin:1.25rem 0 .25rem;overflow-wrap:anywhere}
code{font-family:var(--mono)}
a{color:var(--accent-ink)}p{margin:.5rem 0}p.note{color:var(--ink-2)}
p.wait{background:var(--paused-tint);color:var(--paused-ink);border-radius:6px;padding:.5rem .75rem}
blockquote{margin:0;padding:.125rem 0 .125rem .75rem;border-inline-start:3px solid var(--line);white-space:pre-wrap;overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--accent-ink);outline-offset:2px}
pre,textarea{box-sizing:border-box;width:100%;margin:0;padding:.625rem .75rem;border-radius:6px;font:13px/1.55 var(--mono);
white-space:pre-wrap;overflow-wrap:anywhere}
pre{background:var(--sunken)}
textarea{min-height:6rem;border:1px solid var(--line-strong);background:var(--surface);color:inherit;font-size:16px}
label{display:block;font-weight:500;font-size:.8125rem;margin:.75rem 0 .25rem}
button{display:block;width:100%;min-height:2.75rem;margin:1rem 0 .75rem;border:1px solid transparent;border-radius:6px;font:inherit;font-weight:500;
color:var(--on-accent);background:var(--accent)}
button:hover{filter:brightness(1.08)}
button.deny{background:var(--danger)}
details{margin:.5rem 0;border-block-start:1px solid var(--line)}
summary{min-height:2.75rem;display:flex;align-items:center;cursor:default;color:var(--ink-2)}
summary:hover{color:var(--ink)}
summary::before{content:"▸" / "";margin-inline-end:.5rem}details[open]>summary::before{content:"▾" / ""}
[role=alert]{border-radius:6px;padding:.5rem .75rem;background:var(--danger-tint);color:var(--danger-ink)}
.add,.del{-webkit-box-decoration-break:clone;box-decoration-break:clone;padding-block:.1em}
.add{background:var(--add)}.del{background:var(--del)}
@supports not (color:light-dark(red,red)){button,pre,textarea{border:1px solid}}
@media (prefers-contrast:more){:root{--line:var(--line-strong)}}
@media (forced-colors:active){:focus-visible{outline-color:Highlight}}`;
