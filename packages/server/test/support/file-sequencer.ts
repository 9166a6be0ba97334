import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * If one of the long files came last, all other workers would wait for it. A worker belongs to one project: if the house
 * rules came in between, the next files would need a new worker, which imports everything again.
 */
const first = [
  'test/house/',
  'stall.test.ts',
  'service-process.test.ts',
  'quality/kill.test.ts',
  'knowledge/crash.test.ts',
];

/** What starts processes, browsers, daemons and speech. A normal run has one in three of the files that import one of these. */
const starters = [
  'service-process|faults/service|chat-process|embedded-harness|run-cluster',
  'browser|support/console|start-site|chat-stage|open-gallery',
  'machine-daemon|speech-files|phrases',
];
const importsStarter = new RegExp(`from '\\.[^']*/(${starters.join('|')})\\.ts'`);
/** Always among them: nothing else matters if `npm start` does not start. */
const always = /start-command\.test\.ts$/;

/**
 * Shuffles the files, repeatably by the seed; the house rules and the long files come first. Two thirds of the
 * files that start programs are left out, chosen by the seed, unless the run is full or the command line says what to run.
 */
export class FileSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const chance = ({ moduleId }: TestSpecification) =>
      createHash('sha256').update(`${seed} ${moduleId}`).digest('hex');
    const place = (file: TestSpecification) => {
      const rank = first.findIndex((name) => file.moduleId.includes(`/${name}`));
      return `${rank === -1 ? first.length : rank} ${chance(file)}`;
    };
    return sortBy(this.leaveOut(sortBy(files, chance)), place);
  }

  private leaveOut(files: TestSpecification[]): TestSpecification[] {
    const choosesFiles = (argument: string) => argument !== 'run' && !argument.startsWith('--sequence.seed=');
    const isComplete = process.env['SVC_TEST_FULL'] === '1' || process.argv.slice(2).some(choosesFiles);
    if (isComplete) return files;
    const startsPrograms = ({ moduleId }: TestSpecification) =>
      !always.test(moduleId) && importsStarter.test(readFileSync(moduleId, 'utf8'));
    const leftOut = new Set(files.filter(startsPrograms).filter((_, index) => index % 3 > 0));
    if (leftOut.size > 0)
      this.ctx.logger.log(`Leaves out ${leftOut.size} files; SVC_TEST_FULL=1 runs them all.`);
    return files.filter((file) => !leftOut.has(file));
  }
}

function sortBy(files: readonly TestSpecification[], key: (file: TestSpecification) => string) {
  return files
    .map((file) => ({ file, key: key(file) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ file }) => file);
}
