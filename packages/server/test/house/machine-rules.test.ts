import { describe, expect, it } from 'vitest';
import { theDaemonRunsOnNode20, theDaemonStandsAlone } from './machine-rules.ts';

const path = 'packages/machine/src/files/a.ts';

describe('the rules for the daemon', () => {
  it.each([
    "import { a } from '@svc/server/secrets';",
    "import { a } from '../../../server/src/a.ts';",
    "import { a } from 'undici';",
    "import { a } from 'wsx';",
  ])('refuse %s', (source) =>
    expect(theDaemonStandsAlone(new Map([[path, source]]))).toEqual([expect.stringContaining('rule 1')]),
  );

  it.each([
    [path, "import { a } from '@svc/contract/machine-protocol';\nimport { b } from '../b.ts';"],
    [path, "import { a } from 'node:fs';\nimport { Compile } from 'typebox/compile';"],
    ['packages/machine/test/a.test.ts', "import { a } from 'rolldown';"],
  ])('allow in %s: %s', (file, source) =>
    expect(theDaemonStandsAlone(new Map([[file, source]]))).toEqual([]),
  );

  it('refuse what Node 20 does not have', () => {
    const rule = (source: string) => theDaemonRunsOnNode20(new Map([[path, source]]));
    expect(rule('\nconst url = URL.parse(text);')).toEqual([expect.stringContaining(':2 says')]);
    expect(rule("const url = new URL(text); // URL.parse\nJSON.parse('URL.parse');")).toEqual([]);
  });
});
