import type { Jobs } from '../jobs/jobs.ts';
import type { ReplyQuality } from '../turns/turns.service.ts';
import { createGrader } from './grading/grader.ts';
import { createKeeper, type KeeperDependencies } from './keeper.ts';
import { validationQueue } from './validation/reply-validation.queue.ts';
import { createValidator, type ValidatorDependencies } from './validation/validator.ts';

export type ReplyWatchDependencies = KeeperDependencies &
  ValidatorDependencies & { jobs: Pick<Jobs, 'define' | 'enqueue'> };

/** Grades replies, records their quality, and validates them in the background. */
export function createReplyWatch(dependencies: ReplyWatchDependencies): ReplyQuality {
  dependencies.jobs.define(validationQueue, createValidator(dependencies));
  return { grade: createGrader(dependencies), ...createKeeper(dependencies) };
}
