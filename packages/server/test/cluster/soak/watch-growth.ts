import type { History } from '../history.ts';
import type { Stage } from '../stage/stage.ts';
import { growingTables, type TableSize } from './growing-tables.ts';
import { type Memory, readMemory } from './read-memory.ts';

export interface GrowthWatch {
  /** Notes what the node that lives through all rounds holds, and what is in the database. Call it at rest. */
  endRound(): Promise<void>;
  /** Finds what has grown with the number of rounds. */
  check(): void;
}

/** What a node may hold at the end if it held so much after the first third. */
const mayHold: Record<keyof Memory, (bytes: number) => number> = {
  heap: (bytes) => bytes * 1.1 + 8 * 1024 ** 2,
  // What is free but not returned to the system counts too.
  resident: (bytes) => bytes * 1.2 + 32 * 1024 ** 2,
};

/** Rows and bytes that a table may have after many rounds if it had so many after one. Dead rows wait for autovacuum. */
const mayHave = ({ rows, bytes }: TableSize): TableSize => ({
  rows: rows * 1.5 + 100,
  bytes: bytes * 1.5 + 8 * 1024 ** 2,
});

/** Watches whether memory or tables grow with what has been done, although it is over. */
export function watchGrowth(stage: Stage, history: History): GrowthWatch {
  const [node] = stage.nodes;
  const pid = node?.pid();
  const memory: Memory[] = [];
  const sizes: Map<string, TableSize>[] = [];

  function checkMemory(): void {
    // The first rounds fill caches and warm the code up.
    const [early, late] = [memory[Math.ceil(memory.length / 3) - 1], memory.at(-1)];
    if (!early || !late) return;
    for (const kind of ['heap', 'resident'] as const) {
      if (late[kind] <= mayHold[kind](early[kind])) continue;
      history.find({
        what: `the ${kind} memory of node 1 grew from ${inMegabytes(early[kind])} to ${inMegabytes(late[kind])}`,
        ids: [],
        detail: `after each round: ${memory.map((one) => inMegabytes(one[kind])).join(', ')}`,
      });
    }
  }

  function checkTables(): void {
    const [first, last] = [sizes[0], sizes.at(-1)];
    for (const [name, { rows, bytes }] of last ?? []) {
      if (growingTables.has(name)) continue;
      const most = mayHave(first?.get(name) ?? { rows: 0, bytes: 0 });
      if (rows <= most.rows && bytes <= most.bytes) continue;
      history.find({
        what: `the table ${name} grows, and is not one of those that keep what happened`,
        ids: [name],
        detail: `rows and size after each round: ${sizes.map((size) => describe(size.get(name))).join(', ')}`,
      });
    }
  }

  return {
    async endRound() {
      if (node?.inspectPort === undefined || node.pid() !== pid)
        throw new Error('Node 1 was replaced: its memory says nothing.');
      const held = await readMemory(node.inspectPort);
      memory.push(held);
      sizes.push(await readSizes(stage));
      history.announce(
        `node 1 holds ${inMegabytes(held.resident)}, ${inMegabytes(held.heap)} of it on the heap; the database has ${inMegabytes(total(sizes.at(-1)))}`,
      );
    },
    check() {
      checkMemory();
      checkTables();
    },
  };
}

async function readSizes({ postgres }: Pick<Stage, 'postgres'>): Promise<Map<string, TableSize>> {
  const tables = await postgres.query<{ name: string; bytes: string }>(
    `select oid::regclass::text as name, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace in (select oid from pg_namespace where nspname in ('public', 'pgboss'))`,
  );
  const sizes = new Map<string, TableSize>();
  for (const { name, bytes } of tables) {
    const [counted] = await postgres.query<{ rows: string }>(`select count(*) as rows from ${name}`);
    sizes.set(name, { rows: Number(counted?.rows), bytes: Number(bytes) });
  }
  return sizes;
}

function total(sizes: Map<string, TableSize> | undefined): number {
  return [...(sizes?.values() ?? [])].reduce((sum, { bytes }) => sum + bytes, 0);
}

function describe(size: TableSize | undefined): string {
  return size ? `${size.rows} in ${inMegabytes(size.bytes)}` : 'none';
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
