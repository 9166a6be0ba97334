import { ExtractionError } from '../source-failure.ts';
import { unpackMessage } from './extraction-message.ts';
import { type ExtractionLimits, inMegabytes } from './limits.ts';
import type { ChildEnd } from './run-child.ts';
import type { Answer } from './tasks.ts';

export interface Answered {
  answer: Exclude<Answer, { refused: string }>;
  body: Buffer;
}

const outOfMemory = /out of memory|allocation failed|OOM|bad_alloc/i;

/** Interprets how a child ended: its answer, or why there is none. */
export function explainEnd(end: ChildEnd, limits: ExtractionLimits): Answered | ExtractionError {
  if (end.stopped === 'time' || end.signal === 'SIGXCPU') {
    return new ExtractionError(`It took longer than ${limits.timeMs / 1000} s to read.`);
  }
  if (end.stopped === 'output') return tooMuchText(limits);
  const message = end.code === 0 ? unpackMessage(end.output) : undefined;
  const answer = message?.head as Answer | undefined;
  if (answer && 'refused' in answer) return new ExtractionError(answer.refused, { cause: answer.cause });
  if (answer && message && message.body.length === answer.length) return { answer, body: message.body };
  return unfinished(end, limits);
}

export function tooMuchText({ textBytes }: ExtractionLimits): ExtractionError {
  return new ExtractionError(
    `It contains more than ${inMegabytes(textBytes)} of text: split it into smaller files.`,
  );
}

export function tooMuchMemory({ memoryMb }: ExtractionLimits, cause?: unknown): ExtractionError {
  return new ExtractionError(
    `It takes more than ${memoryMb} MB of memory to read: split it into smaller files or save it again.`,
    { cause },
  );
}

function unfinished(end: ChildEnd, limits: ExtractionLimits): ExtractionError {
  const cause = `exit code ${end.code}, signal ${end.signal}: ${end.complaint}`;
  if (outOfMemory.test(end.complaint)) return tooMuchMemory(limits, cause);
  if (end.signal === 'SIGKILL' || end.signal === 'SIGTERM') {
    return new ExtractionError('Its reading was ended from outside: the machine may be short of memory.', {
      passing: true,
      cause,
    });
  }
  return new ExtractionError('It cannot be read: the file seems to be damaged.', { cause });
}
