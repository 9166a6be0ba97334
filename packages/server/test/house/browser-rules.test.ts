import { describe, expect, it } from 'vitest';
import {
  markdownStandsAlone,
  theClientStandsAlone,
  theConsoleWordsItsErrors,
  theWidgetStandsAlone,
} from './browser-rules.ts';
import type { SourceFiles } from './source-files.ts';

const file = (path: string, source: string): SourceFiles => new Map([[path, source]]);

describe('the rule for the widget', () => {
  const path = 'packages/widget/src/panel/a.tsx';

  it.each([
    "import { endUserEvents } from '@svc/contract/end-user-events';",
    "import { type A, a } from '@svc/contract/end-users';",
    "import { a } from '@svc/server/widgets/look';",
    "import { a } from '../../../contract/src/a.ts';",
    "import { useState } from 'react';",
    "import { signal } from '@preact/signals';",
    "const { readFile } = await import('node:fs');",
  ])('refuses %s', (source) =>
    expect(theWidgetStandsAlone(file(path, source))).toEqual([expect.stringContaining('rule 1')]),
  );

  it.each([
    [path, "import type { WidgetLook } from '@svc/contract/widget-visitor';"],
    [path, "import { render } from 'preact';\nimport { useState } from 'preact/hooks';"],
    [path, "import { readServerEvents } from '@svc/client/server-events';"],
    [path, "import { safeHref } from '@svc/markdown/safe-href';\nimport { Icon } from './icon.tsx';"],
    ['packages/widget/src/panel/a.test.ts', "import { expect } from 'vitest';"],
    ['packages/widget/build.ts', "import { rolldown } from 'rolldown';"],
  ])('allows in %s: %s', (allowed, source) =>
    expect(theWidgetStandsAlone(file(allowed, source))).toEqual([]),
  );
});

describe('the rule for markdown', () => {
  const path = 'packages/markdown/src/a.ts';

  it.each(["import type { A } from '@svc/contract/a';", "import { marked } from 'marked';"])(
    'refuses %s',
    (source) => expect(markdownStandsAlone(file(path, source))).toEqual([expect.stringContaining('rule 1')]),
  );

  it('allows its own files', () =>
    expect(markdownStandsAlone(file(path, "import { b } from './b.ts';"))).toEqual([]));
});

describe('the rule for the client', () => {
  const path = 'packages/client/src/a.ts';

  it.each([
    "import { turnEnds } from '@svc/contract/event-names';",
    "import { readFile } from 'node:fs';",
    "import { createParser } from 'eventsource-parser';",
  ])('refuses %s', (source) =>
    expect(theClientStandsAlone(file(path, source))).toEqual([expect.stringContaining('rule 1')]),
  );

  it('allows its own files and types of contract', () => {
    const source = "import { b } from './b.ts';\nimport type { Bot } from '@svc/contract/bots';";
    expect(theClientStandsAlone(file(path, source))).toEqual([]);
  });
});

describe('the rule for errors in the console', () => {
  const path = 'packages/console/src/a.tsx';

  it.each(['announce(error.message);', 'const text = `No: ${query.error?.message}`;'])(
    'refuses %s',
    (source) =>
      expect(theConsoleWordsItsErrors(file(path, source))).toEqual([expect.stringContaining('messageOf')]),
  );

  it.each([
    [path, 'announce(messageOf(error));'],
    [path, "const reason = error instanceof Error ? error.message : '';"],
    ['packages/console/src/kit/placeholders.tsx', 'return error.message;'],
    ['packages/server/src/a.ts', 'log(error.message);'],
  ])('allows in %s: %s', (allowed, source) =>
    expect(theConsoleWordsItsErrors(file(allowed, source))).toEqual([]),
  );
});
