import type { Approval, ApprovalResponse } from '@svc/contract/approvals';
import { visibleJson, visibleText } from '@svc/contract/visible-text';
import { isObject } from '../../validation/json-schema/check.ts';
import type { ApiClient } from './api-client.ts';
import { approvalLines, fieldsOf, grantText, type QuestionField } from './approval-text.ts';
import { EditorFailed, type EditText } from './editor.ts';
import { ConnectionLost, ServiceRefused } from './service-errors.ts';
import type { Terminal } from './terminal.ts';

export interface Answering {
  client: Pick<ApiClient, 'respond'>;
  terminal: Pick<Terminal, 'isInteractive' | 'ask' | 'lend' | 'say' | 'sayLines' | 'columns'>;
  edit: EditText;
  botName: string;
  /** Which of how many, as text. */
  place: string;
  /** Withdraws the question: it was answered elsewhere, or the person leaves. */
  signal: AbortSignal;
}

/** `unanswered`: the question was withdrawn; `forbidden`: this key cannot answer. */
export type Answered = 'answered' | 'unanswered' | 'forbidden';

const later = '[e]dit, [d]eny (Ctrl-C: later)> ';
const choices = `[a]pprove, ${later}`;
const choicesWithGrant = `[a]pprove once, [c] or [m] from now on, ${later}`;
const choicesOfTool = `[a]pprove once, [h]our or [b]ot from now on, ${later}`;

const choicesOfQuestion = '[e] answer, [d]ecline (Ctrl-C: later)> ';

/** Asks a person about one call until the service accepts the answer. */
export async function answerApproval(approval: Approval, answering: Answering): Promise<Answered> {
  const { terminal, botName, place, signal } = answering;
  const offer = approval.grant_offer;
  terminal.sayLines(
    approvalLines({ approval, botName, place, now: new Date(), columns: terminal.columns() }),
  );
  if (offer) terminal.say(`c (in this conversation) and m (on this machine) also allow ${grantText(offer)}.`);
  if (approval.tool_grant_offered)
    terminal.say(
      `h (for an hour) and b (until it is revoked in the console) also allow every call of ${visibleText(approval.tool_name)} by this bot.`,
    );
  for (;;) {
    const choice = (await terminal.ask(choicesFor(approval), signal))?.trim().toLowerCase();
    if (choice === undefined) return 'unanswered';
    const answered = await carryOut(choice, approval, answering);
    if (signal.aborted) return 'unanswered';
    if (answered) return answered;
  }
}

function choicesFor({ is_question: isQuestion, ...asked }: Approval): string {
  const { grant_offer: offer, tool_grant_offered: isToolOffered } = asked;
  if (isQuestion) return choicesOfQuestion;
  if (isToolOffered) return choicesOfTool;
  return offer ? choicesWithGrant : choices;
}

/** Undefined when the question has to be asked again. */
async function carryOut(
  choice: string,
  approval: Approval,
  answering: Answering,
): Promise<Answered | undefined> {
  const { terminal, signal } = answering;
  switch (choice) {
    case 'a':
    case 'approve':
      if (approval.is_question) break;
      return send(approval.id, { action: 'approve' }, answering);
    case 'c':
    case 'conversation':
    case 'm':
    case 'machine':
      if (!approval.grant_offer) break;
      return send(
        approval.id,
        { action: 'approve', grant: choice.startsWith('c') ? 'conversation' : 'machine' },
        answering,
      );
    case 'h':
    case 'hour':
    case 'b':
    case 'bot': {
      if (!approval.tool_grant_offered) break;
      const until = choice.startsWith('h') ? { grant_expires_in: 3_600 } : {};
      return send(approval.id, { action: 'approve', grant: 'bot', ...until }, answering);
    }
    case 'd':
    case 'decline':
    case 'deny': {
      const text = (await terminal.ask('Why? The bot is told. (Enter: no reason)> ', signal))?.trim();
      if (text === undefined) return 'unanswered';
      return send(approval.id, { action: 'deny', ...(text && { text }) }, answering);
    }
    case 'e':
    case 'edit':
    case 'answer':
      if (approval.is_question && fieldsOf(approval.arguments_schema).length === 0)
        return send(approval.id, { action: 'approve_edited', edited_args: {} }, answering);
      return edit(approval, answering);
  }
  if (approval.is_question) terminal.say('Type e or d.');
  else if (approval.tool_grant_offered) terminal.say('Type a, h, b, e or d.');
  else terminal.say(approval.grant_offer ? 'Type a, c, m, e or d.' : 'Type a, e or d.');
  return undefined;
}

/** Opens the editor until the service accepts the arguments, or the person gives up. */
async function edit(approval: Approval, answering: Answering): Promise<Answered | undefined> {
  const { terminal, signal } = answering;
  const fields = approval.is_question ? fieldsOf(approval.arguments_schema) : [];
  const proposed = `${visibleJson({ ...templateOf(fields), ...approval.arguments })}\n`;
  const mustChange = !approval.is_question || fields.some(isOpen);
  for (let text = proposed; ; ) {
    try {
      text = await terminal.lend(() => answering.edit(text));
    } catch (error) {
      if (!(error instanceof EditorFailed)) throw error;
      terminal.say(error.message);
      return undefined;
    }
    if (signal.aborted) return 'unanswered';
    if (text === proposed && mustChange) {
      terminal.say('Nothing was changed.');
      return undefined;
    }
    const edited = parseObject(text);
    const answered = edited
      ? await send(approval.id, { action: 'approve_edited', edited_args: edited }, answering)
      : terminal.say('That is not a JSON object.');
    if (answered) return answered;
    const again = await terminal.ask('Enter edits it again, b goes back> ', signal);
    if (again === undefined) return 'unanswered';
    if (again.trim() !== '') return undefined;
  }
}

/** Required, and without a value that it has if nothing is written. */
function isOpen({ isRequired, schema }: QuestionField): boolean {
  return isRequired && schema['default'] === undefined;
}

/** What stands in the editor before a question is answered: the fields that are required or have a default. */
function templateOf(fields: readonly QuestionField[]): Record<string, unknown> {
  const shown = fields.filter((field) => isOpen(field) || field.schema['default'] !== undefined);
  return Object.fromEntries(
    shown.map(({ name, schema }) => [name, schema['default'] ?? (schema['type'] === 'string' ? '' : null)]),
  );
}

/** Undefined when the answer was not accepted and another may be. */
async function send(
  approvalId: string,
  response: ApprovalResponse,
  { client, terminal }: Answering,
): Promise<Answered | undefined> {
  try {
    await client.respond(approvalId, response);
    return 'answered';
  } catch (error) {
    if (!(error instanceof ServiceRefused) && !(error instanceof ConnectionLost)) throw error;
    terminal.say(visibleText(error.message));
    if (error instanceof ConnectionLost) return undefined;
    if (error.code === 'FORBIDDEN' || error.code === 'UNAUTHORIZED') return 'forbidden';
    // Another person answered first, or it expired: not a mistake of this person.
    return error.code === 'ALREADY_RESOLVED' || error.code === 'NOT_FOUND' ? 'answered' : undefined;
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // The caller reports it and asks again.
  }
}
