import { describe, expect, it } from 'vitest';
import {
  markdownStandsAlone,
  theClientStandsAlone,
  theConsoleStandsAlone,
  theConsoleWordsItsErrors,
  theWidgetStandsAlone,
} from './browser-rules.ts';
import { evaluationStaysOutside, sharedCodeNamesNoChannel } from './channel-rules.ts';
import { importsHaveNoCycles } from './cycle-rule.ts';
import {
  linksLeadSomewhere,
  namedFilesExist,
  pagesAreListedOnce,
  variablesAreDocumentedOnce,
} from './document-rules.ts';
import { exportsAreUsedOutsideTests } from './export-rule.ts';
import {
  everyFolderHasAPlace,
  featuresLeanDownwards,
  layersLeanDownwards,
  onlyTheWiringCreatesFeatures,
  packagesLeanOnContract,
  servicesAreTakenFromBelow,
  sharedFoldersAreUsedAsMeant,
} from './import-rules.ts';
import {
  drizzleIsLoadedInOnePlace,
  onlyConfigReadsTheEnvironment,
  onlyEgressOpensConnections,
  onlyHttpKnowsFastify,
  onlyOneFileKnowsTheBucket,
  onlyRedisKnowsItsClient,
  onlyStoresKnowSql,
} from './knowledge-rules.ts';
import { theDaemonRunsOnNode20, theDaemonStandsAlone } from './machine-rules.ts';
import { migrationsOnlyAdd } from './migration-rule.ts';
import { voicePackagesStandAlone } from './package-rules.ts';
import { fileNamesAreUnique, filesStayShort, functionsStayShort } from './size-rule.ts';
import {
  existsInProject,
  readDocuments,
  readMigrations,
  readSourceFiles,
  type Violation,
} from './source-files.ts';
import { statementsNameTheirWorkspace, storesTakeTheWorkspace } from './store-rule.ts';
import { wordingIsPlain } from './wording-rule.ts';

describe('the house', () => {
  const files = readSourceFiles();
  it('is read at all', () => expect(files.has('packages/server/src/lib/app-error.ts')).toBe(true));
  it('contract imports no package, and no package imports the server', () =>
    holds(packagesLeanOnContract(files)));
  it('the daemon stands alone', () => holds(theDaemonStandsAlone(files)));
  it('the daemon runs on Node 20', () => holds(theDaemonRunsOnNode20(files)));
  it('the client stands alone', () => holds(theClientStandsAlone(files)));
  it('the widget stands alone', () => holds(theWidgetStandsAlone(files)));
  it('the console stands alone', () => holds(theConsoleStandsAlone(files)));
  it('the console words its errors for people', () => holds(theConsoleWordsItsErrors(files)));
  it('markdown stands alone', () => holds(markdownStandsAlone(files)));
  it('sip and local-speech stand alone', () => holds(voicePackagesStandAlone(files)));
  it('every folder of the server has its place', () => holds(everyFolderHasAPlace(files)));
  it('features use the services below them', () => holds(featuresLeanDownwards(files)));
  it('features take services from below', () => holds(servicesAreTakenFromBelow(files)));
  it('routes → service → store → tables', () => holds(layersLeanDownwards(files)));
  it('no file imports itself through others', () => holds(importsHaveNoCycles(files)));
  it('config is types only, http is for routes', () => holds(sharedFoldersAreUsedAsMeant(files)));
  it('only the wiring creates features', () => holds(onlyTheWiringCreatesFeatures(files)));
  it('only http and routes know Fastify', () => holds(onlyHttpKnowsFastify(files)));
  it('only stores know SQL', () => holds(onlyStoresKnowSql(files)));
  it('drizzle is loaded in one place', () => holds(drizzleIsLoadedInOnePlace(files)));
  it('only egress opens outbound connections', () => holds(onlyEgressOpensConnections(files)));
  it('only redis knows the client of Redis', () => holds(onlyRedisKnowsItsClient(files)));
  it('only one file knows the client of S3', () => holds(onlyOneFileKnowsTheBucket(files)));
  it('only config reads the environment', () => holds(onlyConfigReadsTheEnvironment(files)));
  it('shared code names no channel', () => holds(sharedCodeNamesNoChannel(files)));
  it('evaluation stays outside the engine', () => holds(evaluationStaysOutside(files)));
  it('every store function takes the workspace', () => holds(storesTakeTheWorkspace(files)));
  it('every statement names its workspace', () => holds(statementsNameTheirWorkspace(files)));
  it('no file is longer than 500 lines', () => holds(filesStayShort(files)));
  it('no function is longer than 80 lines', () => holds(functionsStayShort(files)));
  it('every file of the server has a name of its own', () => holds(fileNamesAreUnique(files)));
  it('nothing is exported for tests alone', () => holds(exportsAreUsedOutsideTests(files)));
  it('migrations only add', () => holds(migrationsOnlyAdd(readMigrations())));
  const documents = readDocuments();
  it('sources and documents are in plain English', () =>
    holds(wordingIsPlain(new Map([...files, ...documents]))));
  it('links between documents lead somewhere', () => holds(linksLeadSomewhere(documents, existsInProject)));
  it('documents name files that exist', () => holds(namedFilesExist(documents, files)));
  it('every page is listed once', () => holds(pagesAreListedOnce(documents)));
  it('every variable is documented once', () => holds(variablesAreDocumentedOnce(files, documents)));
});

function holds(violations: Violation[]): void {
  expect(violations).toEqual([]);
}
