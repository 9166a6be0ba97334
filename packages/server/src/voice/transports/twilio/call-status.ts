import type { LineEnd } from '../call-transport.ts';

/** The fields of a status callback that matter here. */
export interface StatusForm {
  CallSid?: string | undefined;
  CallStatus?: string | undefined;
  AnsweredBy?: string | undefined;
  SipResponseCode?: string | undefined;
  ErrorMessage?: string | undefined;
}

export type StatusNews = { type: 'ringing' } | { type: 'ended'; end: LineEnd };

/** What a callback says about a call; undefined if it is nothing new. */
export function readStatus(form: StatusForm): StatusNews | undefined {
  switch (form.CallStatus ?? '') {
    case 'ringing':
      return { type: 'ringing' };
    case 'completed':
      return ended(isMachine(form.AnsweredBy) ? 'voicemail' : 'remote_hangup');
    case 'busy':
      return ended(isDeclined(form) ? 'declined' : 'busy', detailOf(form));
    case 'no-answer':
      return ended(isDeclined(form) ? 'declined' : 'no_answer');
    case 'canceled':
      return ended('local_hangup');
    case 'failed':
      return ended(isDeclined(form) ? 'declined' : 'failed', detailOf(form));
    default:
      return undefined;
  }
}

/**
 * What became of the number that a caller was to be passed on to. `over`: it was answered, and they are no longer connected.
 * `hung_up`: the caller hung up before it was answered.
 */
export type DialNews = { type: 'answered' | 'over' | 'hung_up' } | { type: 'failed'; reason: string };

export interface DialForm {
  /** Of the caller's own call. */
  CallStatus?: string | undefined;
  DialCallStatus?: string | undefined;
}

/** Without the status of the dialing it is the report of an answer. */
export function readDial({ CallStatus: status, DialCallStatus: dialed = '' }: DialForm): DialNews {
  const reason = dialFailures[dialed];
  if (reason === undefined) return { type: dialed === '' ? 'answered' : 'over' };
  return status === 'completed' ? { type: 'hung_up' } : { type: 'failed', reason };
}

/** Whether one of the calls that were made for a caller was answered, by Twilio's list of them. */
export function isDialAnswered(body: unknown): boolean {
  const { calls } = (body ?? {}) as { calls?: unknown };
  if (!Array.isArray(calls)) return false;
  return calls.some((call: { status?: unknown } | null) =>
    ['in-progress', 'completed'].includes(String(call?.status)),
  );
}

const dialFailures: Record<string, string> = {
  busy: 'The number is busy.',
  'no-answer': 'Nobody answered.',
  failed: 'The number could not be reached.',
  canceled: 'The attempt was cancelled.',
};

/** Of the detection of answering machines, which continues while the bot already talks. */
export function isMachine(answeredBy: string | undefined): boolean {
  return answeredBy !== undefined && /^(?:machine|fax)/.test(answeredBy);
}

function isDeclined({ SipResponseCode: code }: StatusForm): boolean {
  return code === '603' || code === '607';
}

function detailOf({ SipResponseCode: code, ErrorMessage: message }: StatusForm): string | undefined {
  if (message) return message.slice(0, 300);
  return code && /^\d{3}$/.test(code) ? `SIP status ${code}` : undefined;
}

function ended(cause: LineEnd['cause'], detail?: string): StatusNews {
  return { type: 'ended', end: { cause, ...(detail !== undefined && { detail }) } };
}

/** What Twilio puts in place of numbers that are hidden: the words ANONYMOUS, BLOCKED and so on, typed on a keypad. */
const hidden = new Set(['+266696687', '+2562533', '+7378742833', '+86282452253', '+8656696']);

/** Null if the caller's number is hidden or not a telephone's. */
export function readCaller(from: string | undefined): string | null {
  return from !== undefined && /^\+?\d{2,20}$/.test(from) && !hidden.has(from) ? from : null;
}
