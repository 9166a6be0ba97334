import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/log.ts';
import { askForJson, type JsonAnswer } from '../../models/ask-for-json.ts';
import type { Grade, ReplyQuality } from '../../turns/turns.service.ts';
import { gradeForm, gradeQuestion, replacementFor } from './grade.ts';

/** The user is waiting, so a reply that is not graded by then is sent as it is. */
const withinMilliseconds = 15_000;

/** Grades replies with the model that wrote them. A reply is sent even if it cannot be graded. */
export function createGrader({ log }: { log: Log }): ReplyQuality['grade'] {
  return async (reply, signal) => {
    const { model, text, turnId } = reply;
    if (!model.capabilities.instructions) return ungraded('The built-in model cannot grade.');
    if (text.trim() === '') return ungraded('There was nothing to grade.');
    const deadline = AbortSignal.timeout(withinMilliseconds);
    const answer = await askForJson(model, gradeForm, {
      ...gradeQuestion(reply),
      signal: AbortSignal.any([signal, deadline]),
      read: ({ score }) => score,
    });
    const { request: question, usage } = answer;
    if (answer.kind === 'value') {
      const score = answer.value;
      return { score, problem: null, replacement: replacementFor(score, reply), question, usage };
    }
    const problem = problemOf(answer, deadline);
    // A stopped turn needs no grade.
    if (!signal.aborted) log.warn({ turn_id: turnId, model: model.id, problem }, 'A reply is sent ungraded.');
    return { ...ungraded(problem), question, usage };
  };
}

function ungraded(problem: string): Grade {
  return { score: null, problem, replacement: null, question: null, usage: null };
}

/** Never the provider's own text, which may repeat what users wrote. */
function problemOf(answer: Exclude<JsonAnswer<number>, { kind: 'value' }>, deadline: AbortSignal): string {
  if (answer.kind === 'unusable') return 'The model did not answer with a grade.';
  if (deadline.aborted) return `The model gave no grade within ${withinMilliseconds / 1000} seconds.`;
  const { failure } = answer;
  return failure instanceof AppError ? failure.message : 'The grade could not be asked for.';
}
