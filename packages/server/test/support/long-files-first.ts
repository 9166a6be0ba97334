import { createHash } from 'node:crypto';
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

/** Shuffles the files, repeatably by the seed; the house rules and the long files come first. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const place = ({ moduleId }: TestSpecification) => {
      const rank = first.findIndex((name) => moduleId.includes(`/${name}`));
      const chance = createHash('sha256').update(`${seed} ${moduleId}`).digest('hex');
      return `${rank === -1 ? first.length : rank} ${chance}`;
    };
    return files
      .map((file) => ({ file, place: place(file) }))
      .toSorted((one, other) => (one.place < other.place ? -1 : 1))
      .map(({ file }) => file);
  }
}
