import { channelNames } from '@svc/contract/channels';
import { importsOf } from './imports.ts';
import { layerOf } from './layout.ts';
import { lineOf, maskSource } from './mask-source.ts';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

const asksTheTable = /^packages\/server\/src\/(turns|conversations|http)\//;
const knowsNoEvaluation = /^packages\/server\/src\/(turns|tools)\//;
const evaluations = 'packages/server/src/evaluations/';
/** A whole text in quotes, or a template without values, as masked source shows it. */
const emptiedText = /(['"`])[ \n]*\1/g;

/** What a channel allows is looked up in the table in contract, so that a new channel changes nothing in these folders. */
export function sharedCodeNamesNoChannel(files: SourceFiles): Violation[] {
  const name = new RegExp(`^(${channelNames.join('|')})$|'(${channelNames.join('|')})'`);
  return matching(files, asksTheTable).flatMap(([path, source]) =>
    [...maskSource(source).matchAll(emptiedText)].flatMap(({ index, 0: { length } }) => {
      const text = source.slice(index + 1, index + length - 1);
      if (!name.test(text)) return [];
      return `${path}:${lineOf(source, index)} names a channel: ask contract's table of channels instead`;
    }),
  );
}

/** The engine and the tools never mention evaluations, not even in comments, and only the wiring imports them. */
export function evaluationStaysOutside(files: SourceFiles): Violation[] {
  const violations = matching(files, knowsNoEvaluation).flatMap(([path, source]) =>
    [...source.matchAll(/evaluation/gi)].map(
      ({ index }) => `${path}:${lineOf(source, index)} says 'evaluation': only evaluations/ knows of them`,
    ),
  );
  const imported = importsOf(files)
    .filter(({ from, target }) => target?.startsWith(evaluations) && !from.startsWith(evaluations))
    .filter(({ from }) => !isTest(from) && layerOf(from)?.kind !== 'wiring')
    .map(({ from, line }) => `${from}:${line} imports evaluations/: only the wiring does`);
  return [...violations, ...imported];
}

function matching(files: SourceFiles, folders: RegExp): [string, string][] {
  return [...files].filter(([path]) => folders.test(path) && !isTest(path));
}
