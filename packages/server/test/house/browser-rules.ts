import { type Import, importsOf } from './imports.ts';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

const widget = 'packages/widget/src/';
const markdown = 'packages/markdown/src/';

/** Rule 1: visitors load the widget, so it consists of its own files, markdown and Preact; of contract only types are left. */
export function theWidgetStandsAlone(files: SourceFiles): Violation[] {
  return importsWithin(files, widget)
    .filter(({ specifier, target, typesOnly }) => {
      if (/^preact(\/hooks)?$/.test(specifier) || specifier.startsWith('@svc/markdown/')) return false;
      if (specifier.startsWith('@svc/contract/')) return !typesOnly;
      return !target?.startsWith(widget);
    })
    .map(violation('the widget needs only markdown, Preact and types of contract'));
}

/** Rule 1: markdown runs on any page, with nothing but the page. */
export function markdownStandsAlone(files: SourceFiles): Violation[] {
  return importsWithin(files, markdown)
    .filter(({ target }) => !target?.startsWith(markdown))
    .map(violation('markdown imports nothing but its own files'));
}

function importsWithin(files: SourceFiles, folder: string): Import[] {
  return importsOf(files).filter(({ from }) => from.startsWith(folder) && !isTest(from));
}

function violation(rule: string) {
  return ({ from, line, specifier }: Import): Violation =>
    `${from}:${line} imports '${specifier}' — rule 1: ${rule}`;
}
