import type { Database } from '../../../database/database.ts';
import { buildIndex, dropIndexes } from '../../../database/pgvector.ts';
import type { ReadReplica } from '../../../database/replica.ts';
import type { Log } from '../../../lib/log.ts';
import { oneAtATime } from '../../../lib/one-at-a-time.ts';
import type { VectorHit, VectorIndex, VectorScope } from '../vector-index.ts';
import { type Graph, graphOf, graphPrefix, type LargeWorkspace, pgvectorStore } from './pgvector.store.ts';

/** A chunk may have several of the nearest vectors, so more vectors than chunks are requested. */
const vectorsPerChunk = 2;
/** A workspace with more chunks gets a graph: scanning fewer takes at most a few dozen milliseconds. */
const defaultGraphFrom = 2_000;
/** Beyond this, questions do not scan: that takes seconds of a processor. */
const defaultScanAtMost = 100_000;
/** Each one costs every statement that names the table: PostgreSQL locks it and looks at its condition. */
const maxGraphs = 200;
/**
 * Scanning costs one comparison for each chunk of the scope; the graph looks at more chunks the smaller the scope is a part of
 * its workspace, at about five comparisons each for a hundred hits. They cost the same where the square of the scope is so many
 * times the workspace.
 */
const comparisonsPerGraph = 500;
/** How often a question may have the graphs looked at, and how soon after one could not be built. */
const [lookAgainMs, afterFailureMs] = [60_000, 600_000];

export interface PgvectorIndexOptions {
  database: Database;
  /** Where searches read; the database itself if left out. */
  read?: ReadReplica;
  log: Log;
  graphFrom?: number;
  scanAtMost?: number;
}

/**
 * PostgreSQL compares the vectors, with a graph for each large workspace. There is nothing to load or synchronise, and a question
 * looks at the vectors of its own workspace only.
 */
export function createPgvectorIndex(options: PgvectorIndexOptions): VectorIndex {
  const { database, read = (work) => work(database), log } = options;
  const { graphFrom = defaultGraphFrom, scanAtMost = defaultScanAtMost } = options;
  /** The names of those that can be searched, when last looked at. */
  let graphs = new Set<string>();
  /** One of an earlier release, for all workspaces, which serves until each has its own. */
  let hasSharedGraph = false;
  /** Of every model that was asked for. */
  const dimensionsOf = new Map<string, number>();
  let currentModel: string | undefined;
  let nextLookAt = 0;
  const stopping = new AbortController();
  const renewing = oneAtATime('indexes of vectors', log, async () => {
    try {
      await renew();
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  });

  /** Builds the graphs that are missing, and drops those that are no longer needed. */
  async function renew(): Promise<void> {
    nextLookAt = performance.now() + lookAgainMs;
    await look();
    for (const workspace of await listLarge()) {
      if (workspace.chunks > graphFrom)
        for (const model of modelsOf(workspace)) await build(workspace, model);
    }
    // Building may have taken hours, in which workspaces have grown and other nodes have built graphs. One that is found here
    // belongs to a workspace that is large already.
    const found = await look();
    const large = await listLarge();
    const unneeded: string[] = [];
    for (const graph of found) if (!(await isNeeded(graph, large))) unneeded.push(graph.name);
    await dropIndexes(database, unneeded, stopping.signal);
    for (const name of unneeded) graphs.delete(name);
  }

  /** A workspace that changes around the limit keeps its graph. */
  function listLarge(): Promise<LargeWorkspace[]> {
    return pgvectorStore.listLargeAcrossWorkspaces(database.acrossWorkspaces, graphFrom / 2, maxGraphs);
  }

  async function look(): Promise<Graph[]> {
    const found = await pgvectorStore.listGraphsAcrossWorkspaces(database.acrossWorkspaces);
    const valid = found.filter(({ isValid }) => isValid);
    graphs = new Set(valid.map(({ name }) => name));
    hasSharedGraph = valid.some(isShared);
    return found;
  }

  /** The model by which the workspace is searched, and the one to which it may be moving. */
  function modelsOf({ model }: LargeWorkspace): string[] {
    return [...new Set([model, currentModel])].filter((name) => typeof name === 'string');
  }

  async function build({ workspaceId }: LargeWorkspace, model: string): Promise<void> {
    const dimensions = dimensionsOf.get(model);
    const graph = dimensions === undefined ? undefined : graphOf({ workspaceId, model }, dimensions);
    if (!graph || graphs.has(graph.name)) return;
    try {
      await buildIndex(database, graph, stopping.signal);
      graphs.add(graph.name);
    } catch (error) {
      stopping.signal.throwIfAborted();
      nextLookAt = performance.now() + afterFailureMs;
      log.warn({ err: error, workspace_id: workspaceId, model }, 'An index of vectors could not be built.');
    }
  }

  async function isNeeded(graph: Graph, large: readonly LargeWorkspace[]): Promise<boolean> {
    const has = (workspace: LargeWorkspace, model: string) =>
      graphs.has(`${graphPrefix({ ...workspace, model })}${dimensionsOf.get(model)}`);
    if (isShared(graph))
      return large.some(
        (workspace) =>
          workspace.chunks > graphFrom && workspace.model !== null && !has(workspace, workspace.model),
      );
    const owner = large.find((workspace) =>
      graph.name.startsWith(graphPrefix({ workspaceId: workspace.workspaceId })),
    );
    if (!owner) return false;
    const { workspaceId } = owner;
    if (modelsOf(owner).some((model) => graph.name.startsWith(graphPrefix({ workspaceId, model }))))
      return true;
    // Nodes may have different models while they are replaced.
    return !(await pgvectorStore.isEmptyAcrossWorkspaces(database.acrossWorkspaces, graph));
  }

  /** Whether a graph can be searched; has it built otherwise. */
  function findGraph(scope: VectorScope, dimensions: number): boolean {
    dimensionsOf.set(scope.model, dimensions);
    const graph = graphOf(scope, dimensions);
    if (!graph) return false;
    if (graphs.has(graph.name)) return true;
    if (performance.now() >= nextLookAt) renewing.run();
    return hasSharedGraph;
  }

  return {
    async search(scope, vector, limit) {
      const wanted = limit * vectorsPerChunk;
      const within = (from: Database) => from.within(scope.workspaceId);
      const { inWorkspace, inScope } = await read((from) =>
        pgvectorStore.countChunks(within(from), scope, graphFrom, comparisonsPerGraph),
      );
      const isSmallPart = inScope < inWorkspace && inScope ** 2 <= comparisonsPerGraph * inWorkspace;
      const canScan = isSmallPart || inWorkspace <= scanAtMost;
      if (inWorkspace > graphFrom && findGraph(scope, vector.length) && !isSmallPart) {
        const rows = await read((from) =>
          within(from).transaction((tx) => pgvectorStore.searchGraph(tx, scope, vector, wanted)),
        );
        // Otherwise there are no more, or the search stopped before it came to those of this bot.
        if (rows.length === wanted || !canScan) return nearestOfEach(rows, limit);
      }
      if (!canScan) return undefined;
      const rows = await read((from) => pgvectorStore.searchAll(within(from), scope, vector, wanted));
      return nearestOfEach(rows, limit);
    },
    async prepare(model, dimensions) {
      currentModel = model;
      if (dimensions !== undefined) dimensionsOf.set(model, dimensions);
      renewing.run();
      await renewing.idle();
    },
    async stop() {
      stopping.abort();
      await renewing.idle();
    },
  };
}

function isShared({ name }: Pick<Graph, 'name'>): boolean {
  return name.startsWith('knowledge_embeddings_');
}

function nearestOfEach(rows: readonly VectorHit[], limit: number): VectorHit[] {
  const best = new Map<string, VectorHit>();
  for (const { chunkId, similarity } of rows.toSorted((one, other) => other.similarity - one.similarity)) {
    if (!best.has(chunkId)) best.set(chunkId, { chunkId, similarity });
  }
  return [...best.values()].slice(0, limit);
}
