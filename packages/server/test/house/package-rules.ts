import { importsOf } from './imports.ts';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

/** The packages of the service that know nothing of it, with the libraries that they may use. */
const libraries: Readonly<Record<string, RegExp>> = {
  'packages/sip/src/': /^ipaddr\.js$/,
  'packages/local-speech/src/': /^$/,
};

/** Rule 1: sip and local-speech consist of their own files, Node and their libraries. */
export function voicePackagesStandAlone(files: SourceFiles): Violation[] {
  return Object.entries(libraries).flatMap(([folder, allowed]) =>
    importsOf(files)
      .filter(({ from }) => from.startsWith(folder) && !isTest(from))
      .filter(({ specifier, target }) => {
        if (specifier.startsWith('node:') || allowed.test(specifier)) return false;
        return !target?.startsWith(folder);
      })
      .map(
        ({ from, line, specifier }) =>
          `${from}:${line} imports '${specifier}' — rule 1: ${folder} needs only its own files, Node and its libraries`,
      ),
  );
}
