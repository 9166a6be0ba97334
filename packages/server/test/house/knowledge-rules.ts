import { importsOf } from './imports.ts';
import { lineOf, maskSource } from './mask-source.ts';
import { isTest, type SourceFiles, type Violation } from './source-files.ts';

/** Rule 4: which folders may use what. Paths are below packages/server/src, unless they name a package. */
const knowsFastify = /^(http\/.*|.*\.routes\.ts|app\.ts|main\.ts)$/;
const knowsSql = /^(.*\.(store|tables)\.ts|database\/.*|events\/event-log\.ts|nodes\/.*)$/;
const opensConnections = /^egress\/.*$/;
/** Sends to one configured address; the library has its own connections, batches and retries. */
const sendsTelemetry = /^telemetry\/open-telemetry\.ts$/;
/** Listens for the calls and the audio of a trunk. */
const talksSip = /^packages\/sip\/src\/udp-socket\.ts$/;
/** Disables connections in the process that reads documents, so it has to import the modules that it disables. */
const forbidsConnections = /^knowledge\/extraction\/forbid-connections\.ts$/;
const knowsRedis = /^redis\/.*$/;
const knowsBucket = /^files\/bucket\.ts$/;
const readsEnvironment = /^config\/config\.ts$/;

const fastifyModules = /^(fastify|@fastify\/.*|@[^/]+\/fastify-.*)$/;
const sqlModules = /^(drizzle-orm|pg|pg-pool|pg-cursor|postgres)(\/.*)?$|\/database\/drizzle\.ts$/;
const clientModules =
  /^(node:)?(http|https|http2|net|tls|dgram|dns|dns\/promises)$|^(undici|ws|axios|got|node-fetch|eventsource|@opentelemetry\/exporter-[\w-]+)(\/.*)?$/;
const clientCalls =
  /(?<![\w$.])(?:globalThis\s*\.\s*)?fetch\s*\(|\bnew\s+(?:WebSocket|EventSource|XMLHttpRequest)\b/g;
const environmentReads = /\bprocess\s*\.\s*env\b|\bprocess\s*\[|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/g;

export function onlyHttpKnowsFastify(files: SourceFiles): Violation[] {
  return imports(files, knowsFastify, fastifyModules, 'rule 4: only http/ and routes know Fastify');
}

export function onlyStoresKnowSql(files: SourceFiles): Violation[] {
  return imports(
    files,
    knowsSql,
    sqlModules,
    'rule 4: only stores, tables, events/event-log.ts and database/ know SQL',
  );
}

/** Its ES modules are slow to load: see database/drizzle.ts. */
export function drizzleIsLoadedInOnePlace(files: SourceFiles): Violation[] {
  return importsOf(serviceFiles(files))
    .filter(({ from, specifier, typesOnly }) => {
      return (
        !typesOnly && /^drizzle-orm(\/|$)/.test(specifier) && belowSource(from) !== 'database/drizzle.ts'
      );
    })
    .map(({ from, line }) => `${from}:${line} imports drizzle: take it from database/drizzle.ts`);
}

export function onlyEgressOpensConnections(files: SourceFiles): Violation[] {
  const reason = 'rule 4: only egress/ opens outbound connections';
  const imported = importsOf(serviceFiles(files))
    .filter(({ from, specifier, typesOnly }) => {
      const path = belowSource(from);
      if (typesOnly || opensConnections.test(path) || !clientModules.test(specifier)) return false;
      const servesHttp = path.startsWith('http/') && /^((node:)?http|ws)$/.test(specifier);
      const looksForAPort = path.startsWith('database/embedded') && /^(node:)?net$/.test(specifier);
      const telemetry = sendsTelemetry.test(path) && specifier.startsWith('@opentelemetry/');
      const isSip = talksSip.test(path) && specifier === 'node:dgram';
      return !servesHttp && !looksForAPort && !telemetry && !isSip && !forbidsConnections.test(path);
    })
    .map(({ from, line, specifier }) => `${from}:${line} imports '${specifier}' — ${reason}`);
  return [...imported, ...uses(files, opensConnections, clientCalls, reason)];
}

/** Everything else takes a connection from redis/open-redis.ts, which reconnects and never fails its callers. */
export function onlyRedisKnowsItsClient(files: SourceFiles): Violation[] {
  return imports(
    files,
    knowsRedis,
    /^(@redis\/.*|redis|ioredis|iovalkey)$/,
    'rule 4: only redis/ knows the client of Redis',
  );
}

/** Its requests have limits of time there, and its errors lose what they repeat of requests. */
export function onlyOneFileKnowsTheBucket(files: SourceFiles): Violation[] {
  return imports(
    files,
    knowsBucket,
    /^@(aws-sdk|smithy)\//,
    'rule 4: only files/bucket.ts knows the client of S3',
  );
}

export function onlyConfigReadsTheEnvironment(files: SourceFiles): Violation[] {
  const reason = 'rule 4: only config.ts reads the environment';
  return [
    ...imports(files, readsEnvironment, /^(node:)?process$/, reason),
    ...uses(files, readsEnvironment, environmentReads, reason),
  ];
}

function imports(files: SourceFiles, allowed: RegExp, modules: RegExp, reason: string): Violation[] {
  return importsOf(serviceFiles(files))
    .filter(({ from, specifier }) => modules.test(specifier) && !allowed.test(belowSource(from)))
    .map(({ from, line, specifier }) => `${from}:${line} imports '${specifier}' — ${reason}`);
}

function uses(files: SourceFiles, allowed: RegExp, code: RegExp, reason: string): Violation[] {
  return [...serviceFiles(files)].flatMap(([path, source]) => {
    if (allowed.test(belowSource(path))) return [];
    const found = [...maskSource(source).matchAll(code)];
    return found.map((match) => `${path}:${lineOf(source, match.index)} says '${match[0]}' — ${reason}`);
  });
}

/** What runs in the service: the server, and the packages that are made for it alone. */
function serviceFiles(files: SourceFiles): SourceFiles {
  const isOfService = /^packages\/(server|sip|local-speech)\/src\//;
  return new Map([...files].filter(([path]) => isOfService.test(path) && !isTest(path)));
}

function belowSource(path: string): string {
  return path.replace('packages/server/src/', '');
}
