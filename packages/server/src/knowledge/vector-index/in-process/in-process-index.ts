import type { Database } from '../../../database/database.ts';
import type { Log } from '../../../log.ts';
import { chunkStore } from '../../chunks/store.ts';
import type { VectorIndex } from '../vector-index.ts';
import { type IndexThread, indexWorker, startIndexThread } from './index-thread.ts';
import { inProcessStore } from './store.ts';

export interface InProcessIndexOptions {
  database: Database;
  log: Log;
  /** What all vectors in memory may take. The workspace that is asked always stays. */
  mostBytes?: number;
  /** What runs in the thread. */
  program?: URL;
}

/** What this side knows of a space in the thread. */
interface Copy {
  name: string;
  workspaceId: string;
  model: string;
  /** Undefined before it was loaded. */
  revision: string | undefined;
  bytes: number;
  loading: Promise<void> | undefined;
  /** Searches under way: it is not let go under them. */
  searches: number;
}

/** About a megabyte of vectors of the built-in model: a few milliseconds of this thread. */
const chunksAtOnce = 128;

/**
 * A copy of the rows' vectors in memory, for a PostgreSQL without pgvector: loaded when a workspace is first asked, and
 * compared with its revision at every search, so that no node answers from what is no more.
 */
export function createInProcessIndex(options: InProcessIndexOptions): VectorIndex {
  const { database, log, mostBytes = 512 * 1024 * 1024, program = indexWorker } = options;
  /** Least recently used first. */
  const copies = new Map<string, Copy>();
  let thread: IndexThread | undefined;
  let warned = false;

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
    const copy = copies.get(name) ?? {
      name,
      workspaceId,
      model,
      revision: undefined,
      bytes: 0,
      loading: undefined,
      searches: 0,
    };
    copies.delete(name);
    copies.set(name, copy);
    return copy;
  }

  async function load(copy: Copy, index: IndexThread): Promise<void> {
    const { name: space, workspaceId, model } = copy;
    const { revision, packed } = await inProcessStore.list(database.query, workspaceId, model);
    const missing = await index.ask({ type: 'keep', space, listing: packed });
    for (let start = 0; start < missing.length; start += chunksAtOnce) {
      const chunkIds = missing.slice(start, start + chunksAtOnce);
      const vectors = await inProcessStore.loadVectors(database.query, workspaceId, model, chunkIds);
      await index.ask({ type: 'add', space, vectors });
    }
    const { bytes } = await index.ask({ type: 'settle', space });
    copy.revision = revision;
    copy.bytes = bytes;
    await letGo(copy, index);
  }

  async function letGo(asked: Copy, index: IndexThread): Promise<void> {
    let total = [...copies.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const copy of copies.values()) {
      if (total <= mostBytes) return;
      if (copy === asked || copy.searches > 0) continue;
      copies.delete(copy.name);
      total -= copy.bytes;
      await index.ask({ type: 'forget', space: copy.name });
    }
    if (total > mostBytes && !warned) {
      warned = true;
      log.warn(
        { bytes: total },
        'The vectors of one workspace take more memory than meant for all: a PostgreSQL with pgvector keeps them on disk.',
      );
    }
  }

  /** Until the copy is what the workspace was when it was asked. */
  async function refresh(copy: Copy, revision: string, index: IndexThread): Promise<void> {
    if (copy.revision === revision) return;
    // The load under way may have begun before the change; one that begins from now on has not.
    await copy.loading?.catch(() => undefined);
    if (copy.revision === revision) return;
    copy.loading ??= load(copy, index).finally(() => {
      copy.loading = undefined;
    });
    await copy.loading;
  }

  return {
    upsert: (tx, workspaceId, model, embedded) => chunkStore.saveEmbeddings(tx, workspaceId, model, embedded),
    remove: (tx, workspaceId, knowledgeId) => chunkStore.removeEmbeddings(tx, workspaceId, knowledgeId),
    async search({ workspaceId, botId, model }, vector, limit) {
      const revision = await inProcessStore.revisionOf(database.query, workspaceId);
      const index = running();
      const copy = copyOf(workspaceId, model);
      copy.searches += 1;
      try {
        await refresh(copy, revision, index);
        return await index.ask({ type: 'search', space: copy.name, botId, vector, limit });
      } finally {
        copy.searches -= 1;
      }
    },
    prepare: async () => undefined,
    async stop() {
      await thread?.stop();
    },
  };
}
