import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWebSocket } from '../http/operation-traits.ts';
import { isEventStream, type Operation } from '../support/operations.ts';
import { columnsNeverServed, columnsWithoutMarks, tablesWithoutWorkspace, unsteady } from './exceptions.ts';
import { isText, markOf, marksIn, readRows } from './fill.ts';
import { fillWorkspace } from './fill-workspace.ts';
import type { MarkedWorkspace } from './marked-workspace.ts';
import { readsOf, type WalkRequest } from './requests.ts';
import { type Forbidden, forbiddenOf, forEachOf, openStage, read, type Stage } from './walk.ts';

/**
 * Two workspaces are filled with texts that say whose they are, in every column of every table, and then everything that can be
 * read with GET is read as everybody in one of them. A table, a column, an operation or a parameter that is new is covered
 * without being mentioned, or fails here until it is. streams.test.ts has what stays open.
 */
let stage: Stage;
/** What each was sent. */
const walks = new Map<MarkedWorkspace, Promise<Walk>>();

interface Walk {
  leaks: string[];
  failures: string[];
  /** The operations that sent each mark of the reader's own. */
  seen: Map<string, string>;
  /** By request, as `readFigures` reads them. */
  figures: Map<string, string>;
}

/** The figures that the first was sent before anything was stored in the second. */
let figuresBefore: Map<string, string>;

beforeAll(async () => {
  stage = await openStage();
  const { first, second } = stage;
  await fillWorkspace(stage, first);
  figuresBefore = await readFigures(first);
  await fillWorkspace(stage, second);
});
afterAll(() => stage?.stop());

/** Each reads once, for all tests. */
function walkOf(name: 'first' | 'second'): Promise<Walk> {
  const { first, second } = stage;
  const [own, other] = name === 'first' ? [first, second] : [second, first];
  const walking = walks.get(own) ?? walk(own, other);
  walks.set(own, walking);
  return walking;
}

/** Reads as everybody in a workspace. Of another one, its ids and its texts are sent, and nothing may come back. */
async function walk(own: MarkedWorkspace, other: MarkedWorkspace): Promise<Walk> {
  const { service, operations } = stage;
  const forbidden = await forbiddenOf(stage, other);
  const found: Walk = { leaks: [], failures: [], seen: new Map(), figures: new Map() };
  await forEachOf(readsOf(operations, service.url, own, other), async (request) => {
    let next: string | undefined = request.address;
    for (let page = 0; page < maxPages && next !== undefined; page++) {
      next = await note(found, { ...request, address: next }, own, forbidden);
    }
  });
  return found;
}

const maxPages = 3;

async function note(
  { leaks, failures, seen, figures }: Walk,
  request: WalkRequest,
  own: MarkedWorkspace,
  forbidden: Forbidden,
): Promise<string | undefined> {
  const { operation } = request;
  const name = nameOf(request);
  const { status, text, next } = await read(stage.send, request);
  if (status >= 500) failures.push(`${name} → ${status}`);
  const leaked = new Set(forbidden.in(text));
  if (leaked.size > 0) leaks.push(`${name} → ${status} ${[...leaked].join(', ')}`);
  for (const mark of marksIn(text, own.name)) if (!seen.has(mark)) seen.set(mark, operation.name);
  const figuresSent = figuresIn(text);
  if (figuresSent !== undefined) figures.set(name, figuresSent);
  return next;
}

const nameOf = ({ operation, address, caller }: WalkRequest) =>
  `${caller.as}: ${operation.method} ${address}`;

/** Every number and the length of every list that a workspace is sent about its own, by request. */
async function readFigures(own: MarkedWorkspace): Promise<Map<string, string>> {
  const { service, operations } = stage;
  const found = new Map<string, string>();
  const requests = readsOf(operations, service.url, own, undefined).filter(
    ({ operation }) => !isEventStream(operation) && !(operation.name in unsteady),
  );
  await forEachOf(requests, async (request) => {
    const figures = figuresIn((await read(stage.send, request)).text);
    if (figures !== undefined) found.set(nameOf(request), figures);
  });
  return found;
}

/** The figures of an answer in JSON. */
function figuresIn(text: string): string | undefined {
  const end = text.indexOf('\n');
  const [headers, body] = [text.slice(0, end), text.slice(end + 1)];
  return headers.includes('application/json') ? JSON.stringify(JSON.parse(body), figuresOnly) : undefined;
}

/** Numbers, amounts in texts, and the lengths of lists. Other texts have marks; times and durations differ by themselves. */
function figuresOnly(name: string, value: unknown): unknown {
  const isFigure = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
  return (isFigure && !name.endsWith('seconds')) || typeof value === 'object' ? value : null;
}

describe('every table', () => {
  it('has a workspace, or a reason why not', () => {
    const tables = new Set(stage.columns.map(({ table }) => table));
    const withWorkspace = new Set(ofWorkspaces().map(({ table }) => table));
    expect([...tables].filter((table) => !withWorkspace.has(table))).toEqual(
      Object.keys(tablesWithoutWorkspace),
    );
  });

  it('is filled in both workspaces, in every column that may hold text, or with a reason why not', async () => {
    const { client, columns, first, second } = stage;
    for (const workspace of [first, second]) {
      const rows = await readRows(client, columns, workspace.id);
      const empty = [...rows].filter(([, found]) => found.length === 0).map(([table]) => table);
      expect(empty, workspace.name).toEqual([]);
      const unmarked = ofWorkspaces()
        .filter(isText)
        .filter(
          ({ table, name }) =>
            !rows
              .get(table)
              // A whole mark: the name of one column can begin with that of another.
              ?.some((row) => marksIn(row, workspace.name).includes(markOf(workspace.name, table, name))),
        )
        .map(({ table, name }) => `${table}.${name}`);
      expect(unmarked, workspace.name).toEqual(Object.keys(columnsWithoutMarks));
    }
  });
});

describe.each(['first', 'second'] as const)('the %s workspace', (name) => {
  it('is sent nothing of the other', async () => {
    expect((await walkOf(name)).leaks).toEqual([]);
  });

  it('can read everything of its own', async () => {
    expect((await walkOf(name)).failures).toEqual([]);
  });

  it('is sent its own texts of every column, or there is a reason why not', async () => {
    const { seen } = await walkOf(name);
    const unseen = ofWorkspaces()
      .filter((column) => isText(column) && !(`${column.table}.${column.name}` in columnsWithoutMarks))
      .filter(({ table, name: column }) => !seen.has(markOf(name, table, column)))
      .map((column) => `${column.table}.${column.name}`);
    expect(unseen).toEqual(Object.keys(columnsNeverServed));
  });
});

it('is sent the same figures whether or not anything is stored in the other', async () => {
  const { figures } = await walkOf('first');
  expect(figuresBefore.size).toBeGreaterThan(100);
  const sent = [...figuresBefore].map(([request, was]) => ({ request, was, is: figures.get(request) }));
  expect(sent.filter(({ was, is }) => was !== is)).toEqual([]);
});

it('reads every GET but the WebSockets, which are in streams.test.ts', () => {
  const { operations, service, first, second } = stage;
  const walked = new Set(
    readsOf(operations, service.url, first, second).map(({ operation }) => operation.name),
  );
  const left = operations.filter((one: Operation) => one.method === 'GET' && !walked.has(one.name));
  expect(left.every(isWebSocket)).toBe(true);
  expect([...walked]).toEqual(expect.arrayContaining(Object.keys(unsteady)));
});

/** The columns of tables that have a workspace. */
function ofWorkspaces() {
  const tables = new Set(
    stage.columns.filter(({ name }) => name === 'workspace_id').map(({ table }) => table),
  );
  return stage.columns.filter(({ table }) => tables.has(table));
}
