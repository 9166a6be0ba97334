import { AppError } from '../../app-error.ts';
import type { Log } from '../../log.ts';
import type { WordedAnswer } from '../../models/ask-in-words.ts';
import type { Grade, ReplyQuality } from '../../turns/service.ts';
import { askJudge } from '../ask-judge.ts';
import { gradeQuestion, readScore, replacementFor } from './grade.ts';

/** Somebody waits for the reply: one that is not graded by then is sent as it is. */
const withinMilliseconds = 15_000;

/** Grades replies with the model that gave them. A grade that cannot be had never holds a reply up for good. */
export function createGrader({ log }: { log: Log }): ReplyQuality['grade'] {
  return async (reply, signal) => {
    const { model, text, turnId } = reply;
    if (!model.capabilities.instructions) return ungraded('The built-in model cannot grade.');
    if (text.trim() === '') return ungraded('There was nothing to grade.');
    const question = gradeQuestion(reply);
    const deadline = AbortSignal.timeout(withinMilliseconds);
    const answer = await askJudge(model, question, AbortSignal.any([signal, deadline]));
    const { usage } = answer;
    const score = answer.failure === undefined ? readScore(answer.text) : undefined;
    if (score !== undefined) {
      return { score, problem: null, replacement: replacementFor(score), question, usage };
    }
    const problem = problemOf(answer, deadline);
    // Who stopped the turn did not want a grade any more.
    if (!signal.aborted) log.warn({ turn_id: turnId, model: model.id, problem }, 'A reply is sent ungraded.');
    return { ...ungraded(problem), question, usage };
  };
}

function ungraded(problem: string): Grade {
  return { score: null, problem, replacement: null, question: null, usage: null };
}

/** In our own words: what a provider says may repeat what users wrote. */
function problemOf({ failure }: WordedAnswer, deadline: AbortSignal): string {
  if (failure === undefined) return 'The model did not answer with a grade.';
  if (deadline.aborted) return `The model gave no grade within ${withinMilliseconds / 1000} seconds.`;
  return failure instanceof AppError ? failure.message : 'The grade could not be asked for.';
}
