import { setImmediate as othersFirst } from 'node:timers/promises';
import { waitAtMost } from '../../../lib/wait-at-most.ts';
import type { Services } from '../../../services.ts';
import type { VectorIndex } from '../vector-index.ts';
import { inProcessStore } from './in-process-index.store.ts';
import { type IndexThread, indexWorker, startIndexThread } from './index-thread.ts';
import { bytesOf } from './memory.ts';

export interface InProcessIndexOptions extends Pick<Services, 'database' | 'log'> {
  /** The memory for all vectors. A workspace that needs more is not loaded. */
  maxBytes?: number;
  /** How long a search waits for vectors that are being loaded. */
  patienceMs?: number;
  /** The thread's program. */
  program?: URL;
}

/** What the main thread knows of a space in the index thread. */
interface Copy {
  name: string;
  workspaceId: string;
  model: string;
  /** Undefined until it is loaded. */
  revision: string | undefined;
  /** The memory it takes, or will take when it is loaded. */
  bytes: number;
  loading: Promise<void> | undefined;
}

/** About a megabyte of vectors of the built-in model: a few milliseconds of this thread. */
const batchSize = 128;
/** How long to wait before checking whether a workspace that was too large has shrunk. */
const refusedMs = 600_000;

/**
 * A copy of the vectors in memory, for a PostgreSQL without pgvector: loaded when a workspace is first searched, and
 * compared with the workspace's revision at every search, so that no node answers from outdated data.
 */
export function createInProcessIndex(options: InProcessIndexOptions): VectorIndex {
  const { database, log, maxBytes = 512 * 1024 * 1024, patienceMs = 3_000, program = indexWorker } = options;
  /** Least recently used first. */
  const copies = new Map<string, Copy>();
  /** Workspaces that were too large, with the time until which that is assumed. */
  const refused = new Map<string, number>();
  let thread: IndexThread | undefined;

  function running(): IndexThread {
    if (thread?.isAlive()) return thread;
    copies.clear();
    thread = startIndexThread(program, (error) => {
      copies.clear();
      log.warn({ err: error }, 'The vector index in memory failed; the next search loads it again.');
    });
    return thread;
  }

  function copyOf(workspaceId: string, model: string): Copy {
    const name = `${workspaceId} ${model}`;
    const unloaded = { name, workspaceId, model, revision: undefined, bytes: 0, loading: undefined };
    const copy = copies.get(name) ?? unloaded;
    copies.delete(name);
    copies.set(name, copy);
    return copy;
  }

  const isHeld = (copy: Copy) => copies.get(copy.name) === copy;

  async function load(copy: Copy, dimensions: number, index: IndexThread): Promise<void> {
    const { name: space, workspaceId, model } = copy;
    const { revision, packed, count } = await inProcessStore.list(
      database.within(workspaceId),
      workspaceId,
      model,
    );
    const needed = Math.max(copy.bytes, bytesOf(count, dimensions));
    if (!(await makeRoom(copy, needed, index))) return refuse(copy, needed, index);
    const missing = await index.ask({ type: 'keep', space, listing: packed });
    for (let start = 0; start < missing.length; start += batchSize) {
      const chunkIds = missing.slice(start, start + batchSize);
      const vectors = await inProcessStore.loadVectors(
        database.within(workspaceId),
        workspaceId,
        model,
        chunkIds,
      );
      await index.ask({ type: 'add', space, vectors });
    }
    const { bytes } = await index.ask({ type: 'settle', space });
    copy.revision = revision;
    copy.bytes = bytes;
  }

  /** Reserves memory, by dropping other copies or waiting for those being loaded; false when it is too much. */
  async function makeRoom(copy: Copy, bytes: number, index: IndexThread): Promise<boolean> {
    while (bytes <= maxBytes) {
      const others = [...copies.values()].filter((other) => other !== copy);
      let total = bytes + others.reduce((sum, other) => sum + other.bytes, 0);
      const forgotten: Promise<unknown>[] = [];
      for (const other of others) {
        if (total <= maxBytes) break;
        if (other.loading || other.bytes === 0) continue;
        total -= other.bytes;
        forgotten.push(letGo(other, index));
      }
      // Checked together with the sum: whatever is too much then is still being loaded, and loading ends.
      const loading = others.flatMap((other) => (other.bytes > 0 && other.loading ? [other.loading] : []));
      if (total <= maxBytes) copy.bytes = bytes;
      await Promise.all(forgotten);
      if (total <= maxBytes) return true;
      if (copy.bytes > 0) await empty(copy, index);
      // A copy that failed can be dropped like a loaded one; its caller gets the error.
      await Promise.race(loading.map((one) => one.catch(() => undefined)));
      // Searches that waited for it run before it is dropped.
      await othersFirst();
    }
    return false;
  }

  /** A load that waits for memory must not hold any, or two could wait for each other. */
  async function empty(copy: Copy, index: IndexThread): Promise<void> {
    copy.bytes = 0;
    copy.revision = undefined;
    await index.ask({ type: 'forget', space: copy.name });
  }

  /** The thread works in order, so a search that was requested earlier still finds everything. */
  async function letGo({ name }: Copy, index: IndexThread): Promise<void> {
    copies.delete(name);
    await index.ask({ type: 'forget', space: name });
  }

  async function refuse(copy: Copy, bytes: number, index: IndexThread): Promise<void> {
    const isNew = !refused.has(copy.name);
    refused.set(copy.name, performance.now() + refusedMs);
    if (isNew) {
      log.warn(
        { workspace_id: copy.workspaceId, bytes },
        'A workspace has more vectors than fit into memory: its knowledge is searched by keywords only. PostgreSQL with pgvector keeps them on disk.',
      );
    }
    await letGo(copy, index);
  }

  /** Waits until the copy is at least as new as the workspace was when this was called. */
  async function refresh(
    copy: Copy,
    revision: string,
    dimensions: number,
    index: IndexThread,
  ): Promise<void> {
    if (copy.revision === revision) return;
    // The current load may have started before the change; one that starts now has not.
    // If it fails, its caller gets the error, and we load again.
    await copy.loading?.catch(() => undefined);
    if (copy.revision === revision || !isHeld(copy)) return;
    copy.loading ??= load(copy, dimensions, index).finally(() => {
      copy.loading = undefined;
    });
    await copy.loading;
  }

  return {
    async search({ workspaceId, botId, model }, vector, limit) {
      const revision = await inProcessStore.revisionOf(database.within(workspaceId), workspaceId);
      const index = running();
      const copy = copyOf(workspaceId, model);
      if ((refused.get(copy.name) ?? 0) > performance.now()) return undefined;
      const loaded = refresh(copy, revision, vector.length, index);
      if (!(await waitAtMost(patienceMs, loaded))) {
        const about = { workspace_id: workspaceId };
        loaded.catch((error: unknown) => log.warn({ ...about, err: error }, 'Vectors could not be loaded.'));
        log.info(about, 'Vectors are being loaded; until then knowledge is searched by keywords only.');
        return undefined;
      }
      // It was refused, or dropped to make room for another before it could be searched.
      if (index.isAlive() && (!isHeld(copy) || copy.revision === undefined)) return undefined;
      return index.ask({ type: 'search', space: copy.name, botId, vector, limit });
    },
    prepare: async () => undefined,
    async stop() {
      await thread?.stop();
    },
  };
}
