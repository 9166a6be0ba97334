import { describe, expect, it } from 'vitest';
import { evaluationStaysOutside, sharedCodeNamesNoChannel } from './channel-rules.ts';
import { importsHaveNoCycles } from './cycle-rule.ts';
import {
  linksLeadSomewhere,
  namedFilesExist,
  pagesAreListedOnce,
  variablesAreDocumentedOnce,
} from './document-rules.ts';
import {
  everyFolderHasAPlace,
  featuresLeanDownwards,
  layersLeanDownwards,
  onlyTheWiringCreatesFeatures,
  packagesLeanOnContract,
  services,
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
import { voicePackagesStandAlone } from './package-rules.ts';
import type { SourceFiles, Violation } from './source-files.ts';
import { statementsNameTheirWorkspace, storesTakeTheWorkspace } from './store-rule.ts';

/** Each rule is shown one house that breaks it and one that keeps it. */
describe('the rules', () => {
  const server = 'packages/server/src';

  describe('packages', () => {
    const rule = packagesLeanOnContract;
    breaks(rule, 'packages/contract/src/bots.ts', "import { x } from '@svc/server/bots/service';", 'rule 1');
    breaks(rule, 'packages/contract/src/bots.ts', "import { x } from '../../server/src/x.ts';", 'rule 1');
    breaks(rule, 'packages/contract/src/bots.ts', "import { readFile } from 'node:fs';", 'no node:');
    breaks(
      rule,
      'packages/console/src/a.tsx',
      "const a = await import('@svc/server/main');",
      'never imports the server',
    );
    breaks(rule, 'packages/machine/src/a.ts', "export * from '../../server/src/x.ts';", 'by its name');
    keeps(rule, 'packages/widget/src/a.ts', "import type { Bot } from '@svc/contract/bots';");
    keeps(
      rule,
      'packages/contract/src/bots.ts',
      "import { x } from './common.ts';\nimport { Type } from 'typebox';",
    );
  });

  describe('the packages of calls', () => {
    const rule = voicePackagesStandAlone;
    breaks(rule, 'packages/sip/src/a.ts', "import type { A } from '@svc/contract/a';", 'rule 1');
    breaks(rule, 'packages/sip/src/a.ts', "import { a } from '../../server/src/a.ts';", 'rule 1');
    breaks(rule, 'packages/local-speech/src/a.ts', "import { a } from '@svc/sip/g711';", 'rule 1');
    breaks(rule, 'packages/local-speech/src/a.ts', "import ipaddr from 'ipaddr.js';", 'rule 1');
    keeps(rule, 'packages/sip/src/a.ts', "import ipaddr from 'ipaddr.js';\nimport { b } from './b/b.ts';");
    keeps(rule, 'packages/local-speech/src/a.ts', "import { fork } from 'node:child_process';");
    keeps(rule, 'packages/sip/src/a.test.ts', "import { expect } from 'vitest';");
  });

  describe('folders', () => {
    breaks(everyFolderHasAPlace, `${server}/astrology/astrology.service.ts`, '', 'add it to featureLevels');
    keeps(everyFolderHasAPlace, `${server}/turns/steps/reply-step.ts`, '');
    keeps(everyFolderHasAPlace, `${server}/clock.ts`, '');
  });

  describe('features', () => {
    const rule = featuresLeanDownwards;
    const turns = "import type { TurnService } from '../turns/turns.service.ts';";
    breaks(rule, `${server}/bots/bots.service.ts`, turns, 'turns stands above bots');
    breaks(
      rule,
      `${server}/keys/keys.service.ts`,
      "import { a } from '../billing/billing.service.ts';",
      'neighbours',
    );
    breaks(rule, `${server}/turns/loop.ts`, "import { a } from '../bots/bots.store.ts';", 'only its service');
    breaks(
      rule,
      `${server}/turns/turns.store.ts`,
      "import { a } from '../bots/bots.service.ts';",
      'knows no other feature',
    );
    breaks(
      rule,
      `${server}/jobs/boss.ts`,
      "import { a } from '../bots/bots.service.ts';",
      'below all features',
    );
    breaks(
      rule,
      `${server}/bots/bots.service.ts`,
      "import { createApp } from '../app.ts';",
      'know the wiring',
    );
    keeps(rule, `${server}/turns/turns.service.ts`, "import { type A, b } from '../bots/bots.service.ts';");
    keeps(rule, `${server}/bots/bots.service.ts`, `// ${turns}\nconst text = \`${turns}\`;`);
    keeps(rule, `${server}/http/access.ts`, "import type { Principal } from '../keys/keys.service.ts';");
    breaks(
      rule,
      `${server}/http/access.ts`,
      "import { check } from '../keys/keys.service.ts';",
      'below all features',
    );
    keeps(rule, `${server}/app.ts`, `${turns}\nimport { a } from './bots/store.ts';`);
    keeps(rule, `${server}/bots/service.test.ts`, turns);
  });

  describe('services', () => {
    const declared =
      "import type { TurnService } from './turns/turns.service.ts';\ninterface Services {\n  turns: TurnService;\n}";
    const takes = (path: string, source: string) =>
      servicesAreTakenFromBelow(
        new Map([
          [services, declared],
          [path, source],
        ]),
      );
    it('are not taken from above', () => {
      const [first] = takes(
        `${server}/bots/bots.service.ts`,
        "\ntype A = Pick<Services, 'database' | 'turns'>;",
      );
      expect(first).toContain(":2 takes 'turns' — rule 2: turns does not stand below bots");
      expect(takes(`${server}/bots/bots.service.ts`, "let turns: Services['turns'];")).toHaveLength(1);
    });
    it('are taken from below and from the feature itself', () => {
      expect(takes(`${server}/agents/agents.service.ts`, "type A = Pick<Services, 'turns'>;")).toEqual([]);
      expect(takes(`${server}/turns/turns.routes.ts`, "type A = Pick<Services, 'turns'>;")).toEqual([]);
    });
  });

  describe('layers', () => {
    const rule = layersLeanDownwards;
    breaks(
      rule,
      `${server}/bots/bots.store.ts`,
      "import type { A } from './bots.service.ts';",
      'stands above store.ts',
    );
    breaks(
      rule,
      `${server}/bots/bots.service.ts`,
      "import { a } from './bots.routes.ts';",
      'stands above service.ts',
    );
    breaks(
      rule,
      `${server}/bots/bots.tables.ts`,
      "import { a } from './bots.store.ts';",
      'stands above tables.ts',
    );
    breaks(
      rule,
      `${server}/bots/prompt.ts`,
      "import { a } from './bots.routes.ts';",
      'stands above a helper',
    );
    breaks(rule, `${server}/bots/bots.routes.ts`, "import { a } from './bots.store.ts';", 'skips a layer');
    breaks(
      rule,
      `${server}/bots/bots.service.ts`,
      "import { type A, a } from './bots.tables.ts';",
      'skips a layer',
    );
    keeps(
      rule,
      `${server}/bots/bots.service.ts`,
      "import { a } from './bots.store.ts';\nimport { type B } from './bots.tables.ts';",
    );
    keeps(
      rule,
      `${server}/bots/bots.store.ts`,
      "import { a } from './bots.tables.ts';\nimport { b } from './rows.ts';",
    );
  });

  describe('cycles', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => `${server}/bots/${name}.ts`) as [string, string, string];
    const types = (name: string) => `import type { X } from './${name}.ts';`;
    it('refuses an import for types that leads back', () => {
      const house = Object.entries({ [a]: types('b'), [b]: types('c'), [c]: types('a') });
      const cycle = [a, b, c, a].join(' → ');
      expect(importsHaveNoCycles(new Map(house))).toEqual([`${a}:1 starts a cycle: ${cycle}`]);
    });
    it('allows two ways down to the same file', () => {
      const house = Object.entries({ [a]: `${types('b')}\n${types('c')}`, [b]: types('c'), [c]: '' });
      expect(importsHaveNoCycles(new Map(house))).toEqual([]);
    });
  });

  describe('shared folders', () => {
    const rule = sharedFoldersAreUsedAsMeant;
    breaks(
      rule,
      `${server}/bots/bots.service.ts`,
      "import { readConfig } from '../config/config.ts';",
      'types only',
    );
    breaks(
      rule,
      `${server}/bots/bots.service.ts`,
      "import type { Route } from '../http/route.ts';",
      'only routes',
    );
    breaks(
      rule,
      `${server}/events/conversation-feed.ts`,
      "import { a } from '../http/sse.ts';",
      'only routes',
    );
    keeps(rule, `${server}/bots/bots.routes.ts`, "import { a } from '../http/route.ts';");
    keeps(rule, `${server}/models/model.ts`, "import type { Config } from '../config/config.ts';");
    keeps(rule, `${server}/main.ts`, "import { readConfig } from './config.ts';");
  });

  describe('wiring', () => {
    const rule = onlyTheWiringCreatesFeatures;
    const create = "import { createBotService } from '../bots/bots.service.ts';";
    breaks(rule, `${server}/turns/turns.service.ts`, create, 'createBotService');
    breaks(
      rule,
      `${server}/turns/turns.service.ts`,
      "import * as bots from '../bots/bots.service.ts';",
      'rule 2',
    );
    keeps(rule, `${server}/command/keys.ts`, create);
    keeps(
      rule,
      `${server}/turns/turns.service.ts`,
      "import type { BotService } from '../bots/bots.service.ts';",
    );
  });

  describe('knowledge', () => {
    breaks(
      onlyHttpKnowsFastify,
      `${server}/bots/bots.service.ts`,
      "import type { A } from 'fastify';",
      'Fastify',
    );
    breaks(onlyHttpKnowsFastify, `${server}/log.ts`, "import cors from '@fastify/cors';", 'Fastify');
    keeps(onlyHttpKnowsFastify, `${server}/bots/bots.routes.ts`, "import type { A } from 'fastify';");
    breaks(
      onlyStoresKnowSql,
      `${server}/bots/bots.service.ts`,
      "import {\n  eq,\n} from 'drizzle-orm';",
      ':1 imports',
    );
    breaks(onlyStoresKnowSql, `${server}/events/conversation-feed.ts`, "import pg from 'pg';", 'SQL');
    breaks(
      onlyStoresKnowSql,
      `${server}/bots/bots.service.ts`,
      "import { eq } from '../database/drizzle.ts';",
      'SQL',
    );
    keeps(onlyStoresKnowSql, `${server}/bots/bots.store.ts`, "import { eq } from '../database/drizzle.ts';");
    keeps(
      onlyStoresKnowSql,
      `${server}/idempotency/idempotency.store.ts`,
      "import { eq } from '../database/drizzle.ts';",
    );
    breaks(
      drizzleIsLoadedInOnePlace,
      `${server}/bots/bots.store.ts`,
      "import { eq } from 'drizzle-orm';",
      ':1',
    );
    keeps(
      drizzleIsLoadedInOnePlace,
      `${server}/bots/bots.store.ts`,
      "import type { SQL } from 'drizzle-orm';",
    );
  });

  describe('egress', () => {
    const rule = onlyEgressOpensConnections;
    breaks(rule, `${server}/tools/call.ts`, '\nconst answer = await fetch(url);', ':2 says');
    breaks(rule, `${server}/tools/call.ts`, "import { request } from 'undici';", 'undici');
    const redis = "import type { RedisClientType } from '@redis/client';";
    breaks(onlyRedisKnowsItsClient, `${server}/bus/redis-transport.ts`, redis, 'only redis/');
    keeps(onlyRedisKnowsItsClient, `${server}/redis/open-redis.ts`, redis);
    const s3 = "const { S3Client } = await import('@aws-sdk/client-s3');";
    breaks(onlyOneFileKnowsTheBucket, `${server}/knowledge/upload.ts`, s3, 'only files/bucket.ts');
    keeps(onlyOneFileKnowsTheBucket, `${server}/files/bucket.ts`, s3);
    breaks(rule, `${server}/http/proxy.ts`, "import https from 'node:https';", 'node:https');
    breaks(rule, `${server}/turns/span.ts`, "import { A } from '@opentelemetry/exporter-a';", 'exporter-a');
    keeps(rule, `${server}/telemetry/open-telemetry.ts`, "import { A } from '@opentelemetry/exporter-a';");
    breaks(rule, `${server}/voice/line.ts`, 'const line = new WebSocket(url);', 'WebSocket');
    keeps(rule, `${server}/egress/lane.ts`, "import { Agent } from 'undici';\nawait fetch(url);");
    keeps(rule, `${server}/http/server.ts`, "import { createServer } from 'node:http';");
    keeps(rule, `${server}/tools/call.ts`, 'await egress.fetch(url); prefetch(url); // fetch(url)');
    keeps(rule, `${server}/tools/call.ts`, "import type { Socket } from 'node:net';");
    const datagrams = "import { createSocket } from 'node:dgram';";
    keeps(rule, 'packages/sip/src/udp-socket.ts', datagrams);
    breaks(rule, 'packages/sip/src/signalling.ts', datagrams, 'node:dgram');
    breaks(rule, 'packages/sip/src/udp-socket.ts', "import { connect } from 'node:tls';", 'node:tls');
    breaks(rule, 'packages/local-speech/src/a.ts', 'await fetch(url);', 'fetch');
  });

  describe('environment', () => {
    const rule = onlyConfigReadsTheEnvironment;
    breaks(rule, `${server}/log.ts`, 'const level = process.env.LEVEL;', ':1 says');
    breaks(rule, `${server}/log.ts`, "import { env } from 'node:process';", 'node:process');
    breaks(rule, `${server}/log.ts`, 'const { env } = process;', 'rule 4');
    keeps(rule, `${server}/config/config.ts`, 'const port = process.env.PORT;');
    keeps(rule, `${server}/log.ts`, "const quoted = /'/; // process.env\nconst text = 'process.env';");
  });

  describe('channels', () => {
    const rule = sharedCodeNamesNoChannel;
    breaks(
      rule,
      `${server}/turns/admit/target.ts`,
      "\nif (channel === 'voice') return;",
      ':2 names a channel',
    );
    breaks(rule, `${server}/http/access.ts`, 'const kind = "widget";', 'table of channels');
    breaks(
      rule,
      `${server}/conversations/conversations.store.ts`,
      "sql`channel = 'agent'`;",
      'names a channel',
    );
    keeps(rule, `${server}/turns/admit/target.ts`, "if (rulesOf(channel).hasRuns) a('chats'); // 'chat'");
    keeps(rule, `${server}/agents/agents.service.ts`, "const channel = 'agent';");
  });

  describe('evaluation', () => {
    const rule = evaluationStaysOutside;
    const imported = "import { a } from '../evaluations/evaluations.service.ts';";
    breaks(rule, `${server}/turns/turns.tables.ts`, '\nevaluation_case_id?: string;', ":2 says 'evaluation'");
    breaks(rule, `${server}/tools/tool-type.ts`, '/** Runs in an Evaluation. */', 'only evaluations/');
    breaks(rule, `${server}/quality/quality.service.ts`, imported, 'only the wiring');
    keeps(rule, `${server}/tools/types/calculator/evaluate.ts`, 'export function evaluate() {}');
    keeps(rule, `${server}/wiring/turn-tools.ts`, imported);
  });

  describe('stores', () => {
    const path = `${server}/bots/bots.store.ts`;
    const listed = ['bots/bots.store.ts#sweepAcrossWorkspaces'];
    const sweep = 'const a = {\n  async sweepAcrossWorkspaces(tx: Tx) {},\n};';
    const rule = (files: SourceFiles) => storesTakeTheWorkspace(files, []);
    breaks(rule, path, 'const a = {\n  async get(id: string) {},\n};', ':2 get()');
    breaks(rule, path, 'const a = {\n  list(query: Query): Promise<Bot[]> {},\n};', 'list()');
    breaks(rule, path, 'async function load(\n  tx: Tx,\n  id: string,\n) {}', 'load()');
    breaks(rule, path, 'const a = { find: async (id: string) => 1 };', 'find()');
    breaks(
      rule,
      path,
      'const a = {\n  async get(id: string, name: string, workspaceId: string) {},\n};',
      'get()',
    );
    breaks(rule, path, sweep, 'is not listed');
    breaks((files) => storesTakeTheWorkspace(files, listed), path, '', 'exists no more');
    keeps((files) => storesTakeTheWorkspace(files, listed), path, sweep);
    keeps(rule, path, 'const a = {\n  async get(tx: Tx, workspaceId: string, id: string) {},\n};');
    keeps(rule, path, 'const a = {\n  async get({ workspaceId, id }: Key) {},\n};');
    keeps(rule, path, 'export function createBotStore(query: Query) {}\nfunction toBot(row: Row): Bot {}');
    keeps(
      rule,
      path,
      'const a = {\n  async get(workspaceId: string) {\n    if (a) {\n    }\n    load(a);\n  },\n};',
    );
    keeps(rule, `${server}/bots/bots.service.ts`, 'const a = {\n  async get(id: string) {},\n};');
  });

  describe('statements', () => {
    const path = `${server}/bots/bots.service.ts`;
    const across = 'const all = await load(database.acrossWorkspaces);';
    const rule = (files: SourceFiles) => statementsNameTheirWorkspace(files, {});
    const withReason = (files: SourceFiles) =>
      statementsNameTheirWorkspace(files, { 'bots/bots.service.ts': 'sweeps' });
    breaks(rule, path, across, ':1 works across workspaces');
    breaks(rule, path, 'const { acrossWorkspaces: query } = database;', 'works across workspaces');
    breaks(
      rule,
      path,
      'await database.acrossWorkspaces.transaction((tx) => store.listAcrossWorkspaces(tx));',
      ':1',
    );
    breaks(withReason, path, 'await store.list(database.within(id), id);', 'needs no place');
    breaks(rule, path, 'await store.listAcrossWorkspaces(database.within(id));', 'one workspace only');
    keeps(withReason, path, across);
    keeps(rule, path, 'await store.listAcrossWorkspaces(\n  database.acrossWorkspaces,\n  now,\n);');
    keeps(rule, `${server}/database/migrate.ts`, across);
  });

  describe('links', () => {
    const rule = (files: SourceFiles) => linksLeadSomewhere(files, (path) => path === 'docs/images/a.svg');
    breaks(rule, 'docs/a.md', 'text\n\n[b](b.md)', 'docs/a.md:3 links to b.md, which does not exist');
    breaks(rule, 'docs/a.md', '# Two words\n[up](#two)', 'no such heading');
    breaks(rule, 'docs/a.md', '```sh\n# Two\n```\n[up](#two)', ':4 links to #two');
    keeps(
      rule,
      'docs/a.md',
      '## The `Two` words\n[up](a.md#the-two-words), ![a](images/a.svg), [b](https://b.test)',
    );
    keeps(rule, 'docs/a.md', '```md\n[b](b.md)\n```\nand `[b](b.md)`');
  });

  describe('named files', () => {
    const rule = (files: SourceFiles) => namedFilesExist(files, new Map([[`${server}/bots/prompt.ts`, '']]));
    breaks(rule, 'docs/a.md', 'See `bots/store.ts`.', 'docs/a.md names bots/store.ts, which does not exist');
    keeps(
      rule,
      'docs/a.md',
      'See `bots/prompt.ts`, `prompt.ts`, `<feature>.routes.ts` and `npm test -- a.ts`.',
    );
  });

  describe('pages', () => {
    const list = (entries: string) =>
      pagesAreListedOnce(
        new Map([
          ['docs/README.md', entries],
          ['docs/a.md', ''],
        ]),
      );
    const violation = 'docs/README.md must list a.md once';
    it('refuses a page that is not listed, or twice', () => {
      expect(list('See [a](a.md).')).toEqual([violation]);
      expect(list('- [A](a.md): a\n- [A](a.md): b')).toEqual([violation]);
    });
    it('allows one entry', () => expect(list('- [A](a.md): see [a](a.md)')).toEqual([]));
  });

  describe('variables', () => {
    const source = new Map([
      [`${server}/config.ts`, "const read: ConfigReader; read.text('SVC_A'); read.url('HOST');"],
    ]);
    const document = (rows: string) =>
      variablesAreDocumentedOnce(source, new Map([['docs/configuration-x.md', rows]]));
    it('refuses one that is missing, unknown or repeated', () => {
      expect(document('| `HOST` | `SVC_A` |')).toEqual(['SVC_A is not in docs/configuration*.md']);
      expect(document('| `HOST`, `SVC_A`, `SVC_B` | b |')).toEqual([
        'SVC_B is in docs/configuration*.md, but the service does not read it',
      ]);
      expect(document('| `HOST`, `SVC_A` | a |\n| `SVC_A` | a |')).toEqual(['SVC_A is documented twice']);
    });
    it('allows each once, and a file instead', () => {
      expect(document('| `HOST`, `SVC_A`, `SVC_A_FILE` | a |')).toEqual([]);
    });
  });
});

function breaks(
  rule: (files: SourceFiles) => Violation[],
  path: string,
  source: string,
  words: string,
): void {
  it(`refuses ${path.split('/').slice(-2).join('/')}: ${source.replaceAll('\n', ' ').slice(0, 70)}`, () => {
    const [first, ...others] = rule(new Map([[path, source]]));
    expect(first).toContain(words);
    expect(others).toEqual([]);
  });
}

function keeps(rule: (files: SourceFiles) => Violation[], path: string, source: string): void {
  it(`allows ${path.split('/').slice(-2).join('/')}: ${source.replaceAll('\n', ' ').slice(0, 70)}`, () => {
    expect(rule(new Map([[path, source]]))).toEqual([]);
  });
}
