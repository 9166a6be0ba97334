import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** If one of these came last, all other workers would wait for it. */
const long = ['stall.test.ts', 'service-process.test.ts', 'quality/kill.test.ts', 'knowledge/crash.test.ts'];

/** Shuffles the files, repeatably by the seed; those that take minutes come first. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const place = ({ moduleId }: TestSpecification) => {
      const rank = long.findIndex((name) => moduleId.endsWith(`/${name}`));
      const chance = createHash('sha256').update(`${seed} ${moduleId}`).digest('hex');
      return `${rank === -1 ? long.length : rank} ${chance}`;
    };
    return files
      .map((file) => ({ file, place: place(file) }))
      .toSorted((one, other) => (one.place < other.place ? -1 : 1))
      .map(({ file }) => file);
  }
}
