import { importsOf } from './imports.ts';
import { lineOf, maskSource } from './mask-source.ts';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

const daemon = 'packages/machine/src/';
const manifest = 'packages/machine/package.json';
/** What is built into the daemon. Each library makes it larger, on machines of people who want it small. */
const libraries = /^(commander|diff|picomatch|typebox|ws)(\/.*)?$/;
/** Newer than Node 20, which the daemon must run on and the compiler does not know about. */
const newerThanNode20 =
  /\bURL\.parse\b|\bPromise\.(?:withResolvers|try)\b|\b(?:Object|Map)\.groupBy\b|\bArray\.fromAsync\b|\bRegExp\.escape\b|\bimport\.meta\.main\b|\bprocess\.getBuiltinModule\b/g;

/** Rule 1: the daemon consists of its own files, contract, a few libraries and Node. */
export function theDaemonStandsAlone(files: SourceFiles): Violation[] {
  return importsOf(sourcesOf(files))
    .filter(({ specifier, target }) => {
      if (specifier.startsWith('node:') || libraries.test(specifier)) return false;
      return !target?.startsWith(daemon) && !specifier.startsWith('@svc/contract/') && target !== manifest;
    })
    .map(
      ({ from, line, specifier }) =>
        `${from}:${line} imports '${specifier}' — rule 1: the daemon needs only contract, Node and its libraries`,
    );
}

export function theDaemonRunsOnNode20(files: SourceFiles): Violation[] {
  return [...sourcesOf(files)].flatMap(([path, source]) =>
    [...maskSource(source).matchAll(newerThanNode20)].map(
      ({ 0: found, index }) =>
        `${path}:${lineOf(source, index)} says '${found}', which Node 20 does not have`,
    ),
  );
}

function sourcesOf(files: SourceFiles): SourceFiles {
  return new Map([...files].filter(([path]) => path.startsWith(daemon) && !isTest(path)));
}
