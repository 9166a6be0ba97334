import { type Import, importsOf } from './imports.ts';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

const widget = 'packages/widget/src/';
const markdown = 'packages/markdown/src/';
const client = 'packages/client/src/';

/** Rule 1: visitors load the widget, so it consists of its own files, client, markdown and Preact; of contract only types are left. */
export function theWidgetStandsAlone(files: SourceFiles): Violation[] {
  return importsWithin(files, widget)
    .filter(({ specifier, target, typesOnly }) => {
      if (/^preact(\/hooks)?$|^@svc\/(client|markdown)\//.test(specifier)) return false;
      if (specifier.startsWith('@svc/contract/')) return !typesOnly;
      return !target?.startsWith(widget);
    })
    .map(violation('the widget needs only client, markdown, Preact and types of contract'));
}

/** Rule 1: markdown runs on any page, with nothing but the page. */
export function markdownStandsAlone(files: SourceFiles): Violation[] {
  return importsWithin(files, markdown)
    .filter(({ target }) => !target?.startsWith(markdown))
    .map(violation('markdown imports nothing but its own files'));
}

/** Rule 1: the client runs in browsers and in Node, with nothing but `fetch`; of contract only types are left. */
export function theClientStandsAlone(files: SourceFiles): Violation[] {
  return importsWithin(files, client)
    .filter(({ specifier, target, typesOnly }) =>
      specifier.startsWith('@svc/contract/') ? !typesOnly : !target?.startsWith(client),
    )
    .map(violation('the client needs only its own files and types of contract'));
}

const consoleFolder = 'packages/console/src/';
/** Of contract the console loads what has no schemas; all else of it are types. */
const plainContract =
  /^@svc\/contract\/(abilities|approval-title|assemble-prompt|changed-result|channels|event-names|inexact-number|live|placeholders|roles|visible-text)$/;

/** How the widget adjusts a color, which the console explains. */
const widgetColors = '@svc/widget/src/panel/color.ts';

/** Rule 1: the console knows the service only by its API. */
export function theConsoleStandsAlone(files: SourceFiles): Violation[] {
  return importsWithin(files, consoleFolder)
    .filter(({ specifier, target, typesOnly }) => {
      if (specifier.startsWith('@svc/contract/')) return !typesOnly && !plainContract.test(specifier);
      if (/^@svc\/(client|markdown)\//.test(specifier) || specifier === widgetColors) return false;
      if (specifier.startsWith('.')) return !target?.startsWith(consoleFolder) && !specifier.endsWith('.css');
      return specifier.startsWith('node:') || specifier.startsWith('@svc/');
    })
    .map(violation('the console needs only its own files, client, markdown, and types of contract'));
}

/** People read what `messageOf` makes of an error: the service's own words are meant for programs. */
export function theConsoleWordsItsErrors(files: SourceFiles): Violation[] {
  return [...files].flatMap(([path, text]) => {
    if (!path.startsWith(consoleFolder) || isTest(path) || path === `${consoleFolder}kit/placeholders.tsx`)
      return [];
    return text.split('\n').flatMap((line, index) => {
      // What the browser or the console itself says, and what is stored with a turn or an evaluation, is for people.
      if (
        !/\berror\??\.message\b/.test(line) ||
        /instanceof (?:Error|Refused)|(?:evaluation|turn)\.error/.test(line)
      )
        return [];
      return [`${path}:${index + 1} shows 'error.message' — use messageOf`];
    });
  });
}

function importsWithin(files: SourceFiles, folder: string): Import[] {
  return importsOf(files).filter(({ from }) => from.startsWith(folder) && !isTest(from));
}

function violation(rule: string) {
  return ({ from, line, specifier }: Import): Violation =>
    `${from}:${line} imports '${specifier}' — rule 1: ${rule}`;
}
