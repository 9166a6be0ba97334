import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { evaluating } from '../support/evaluating.ts';
import {
  type HandPlayedModel,
  type PlayedReply,
  startHandPlayedModel,
} from '../support/hand-played-model.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let played: HandPlayedModel;
let store: TestDatabase;
let nodes: TestNode[];
beforeAll(async () => {
  played = await startHandPlayedModel();
});
beforeEach(async () => {
  store = await createTestDatabase();
  nodes = [];
});
afterEach(async () => {
  for (const node of nodes) await node.stop(0);
  // Only now: what a running node asks would be left to the next test.
  played.autoplay();
  await store.drop();
});
afterAll(() => played.close());

async function start(clock?: Clock): Promise<TestNode> {
  const environment = scriptedEnvironment(played);
  const node = await startNode({ database: store.database, environment, ...(clock && { clock }) });
  nodes.push(node);
  return node;
}

function say(reply: PlayedReply, text: string): void {
  reply.write(text);
  reply.finish();
}

const judgement = '{"facts":[{"number":1,"holds":true,"explanation":"It says so."}]}';

it('continues on another node when its node is shut down during a turn', async () => {
  const first = await start();
  const bot = await chatWith(() => first).bot();
  const { scenario, start: begin } = evaluating(() => first);
  await scenario(bot, { turns: ['one', 'two'], expected_facts: ['x'] });
  const id = await begin(bot);
  const cut = await played.next();
  // A node of the version before, in a rolling deployment, calls no real tools only if it finds this.
  const options = await store.database.acrossWorkspaces.execute(
    sql`select t.options->>'evaluation_case_id' = c.id::text as is_known from turns t, evaluation_cases c`,
  );
  expect(options.rows).toEqual([{ is_known: true }]);
  await first.stop(0);
  await cut.abandoned;

  const second = await start();
  say(await played.next(), 'One.');
  say(await played.next(), 'Two.');
  say(await played.next(), judgement);
  const report = await evaluating(() => second).report(bot, id);
  expect(report).toMatchObject({ status: 'completed', counts: { total: 1, passed: 1 } });
  expect(report.cases[0].transcript.map((one: { content: string }) => one.content)).toEqual([
    'one',
    'One.',
    'two',
    'Two.',
  ]);
});

it('gives up on a case that does not end, and continues with the next', async () => {
  const first = await start();
  const bot = await chatWith(() => first).bot();
  const { scenario, start: begin } = evaluating(() => first);
  for (const name of ['endless', 'short']) await scenario(bot, { name, turns: [name] });
  const id = await begin(bot);
  await played.next();
  await first.stop(0);
  // Sixteen minutes later, the reply is still not there.
  const second = await start({ now: () => new Date(Date.now() + 16 * 60_000) });
  played.autoplay((reply) => {
    if (JSON.stringify(reply.body).includes('short')) say(reply, 'Yes.');
  });
  const report = await evaluating(() => second).report(bot, id);
  expect(report).toMatchObject({
    status: 'completed',
    cases: [{ status: 'error', reasons: [{ kind: 'error', code: 'CASE_TIMED_OUT' }] }, { status: 'passed' }],
  });
  const open = await store.database.acrossWorkspaces.execute(
    sql`select 1 from turns where status = 'running'`,
  );
  expect(open.rows).toEqual([]);
});

it('counts nothing twice when two nodes run it concurrently', async () => {
  const [one, other] = [await start(), await start()];
  const bot = await chatWith(() => one).bot();
  const { scenario, start: begin, report } = evaluating(() => one);
  for (const name of ['a', 'b', 'c']) {
    await scenario(bot, { name, turns: [`${name}1`, `${name}2`], expected_facts: ['x'] });
  }
  const id = await begin(bot);
  const first = await played.next();
  const isDriving = (node: TestNode) => node.logged.some((line) => line.includes('is run from here'));
  await eventually(() => isDriving(one)).toBe(true);
  // As if this node had been declared dead: the other takes over, and this one does not notice.
  await store.database.acrossWorkspaces.execute(
    sql`update evaluations set node_id = (select id from nodes where nodes.id <> evaluations.node_id)`,
  );
  await eventually(() => isDriving(other)).toBe(true);
  played.autoplay((reply) =>
    say(reply, JSON.stringify(reply.body).includes('You judge') ? judgement : 'Yes.'),
  );
  say(first, 'Yes.');
  const over = await report(bot, id);
  expect(over).toMatchObject({ status: 'completed', counts: { total: 3, passed: 3 } });
  for (const { transcript } of over.cases) expect(transcript).toHaveLength(4);
  const { rows } = await store.database.acrossWorkspaces.execute(
    sql`select count(*)::int as turns, (select count(*)::int from conversations) as conversations from turns`,
  );
  expect(rows).toEqual([{ turns: 6, conversations: 3 }]);
});
