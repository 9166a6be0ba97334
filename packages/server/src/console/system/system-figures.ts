import type { SystemFigures } from '@svc/contract/console-system';
import { deadLetterQueue } from '../../jobs/boss.ts';
import { AppError } from '../../lib/app-error.ts';
import { listAliveNodes } from '../../nodes/presence.ts';
import type { Services } from '../../services.ts';
import { nodeFigures, type OwnFigures } from './node-figures.ts';

export interface SystemFiguresDependencies
  extends Pick<Services, 'database' | 'installationFigures' | 'nodeCommands' | 'nodeId' | 'workspaces'> {
  own: OwnFigures;
}

/** Many people may look at the same time: what was read is shown to all of them for this long. */
const keptMilliseconds = 3_000;
/** A node that takes longer is shown without figures. */
const withinMilliseconds = 2_000;
/** Each question to a node is a row in the database. */
const maxAsked = 30;

/** How busy the nodes and queues are, for the people who run the installation. */
export function createSystemFigures(dependencies: SystemFiguresDependencies) {
  const { database, installationFigures, nodeCommands, nodeId, workspaces, own } = dependencies;
  let readAt = Number.NEGATIVE_INFINITY;
  let latest: Promise<SystemFigures> | undefined;

  async function readNow(): Promise<SystemFigures> {
    const [nodes, queues] = await Promise.all([readNodes(), readQueues()]);
    return { ...nodes, queues };
  }

  async function readNodes(): Promise<Pick<SystemFigures, 'nodes' | 'alive_nodes'>> {
    const { ids, total } = await listAliveNodes(database.acrossWorkspaces, nodeId, maxAsked);
    const asked = ids.map(async (id) => ({
      id,
      figures:
        id === nodeId
          ? await own.read()
          : ((await nodeCommands.ask(nodeFigures, id, {}, withinMilliseconds)) ?? null),
    }));
    return { nodes: await Promise.all(asked), alive_nodes: total };
  }

  async function readQueues(): Promise<SystemFigures['queues']> {
    const rows = await installationFigures.read();
    if (!rows) return null;
    const valueOf = (gauge: string, queue: string) =>
      rows.find((row) => row.gauge === gauge && row.label === queue)?.value ?? 0;
    const names = new Set(rows.filter(({ gauge }) => gauge.startsWith('queue')).map(({ label }) => label));
    // What failed for good does not wait to be taken, and has its own list.
    names.delete(deadLetterQueue);
    return [...names].toSorted().map((name) => ({
      name,
      waiting: valueOf('queueDepth', name),
      running: valueOf('queueActive', name),
      oldest_seconds: Math.round(valueOf('queueOldest', name)),
    }));
  }

  return {
    /** Throws FORBIDDEN unless the workspace is the first of the installation: the figures are about all of them. */
    async read(workspaceId: string): Promise<SystemFigures> {
      if (!(await workspaces.isDefault(workspaceId)))
        throw new AppError('FORBIDDEN', {
          message: 'The figures of the installation are for the owners of its first workspace.',
        });
      if (!latest || performance.now() - readAt >= keptMilliseconds) {
        readAt = performance.now();
        const reading = readNow();
        latest = reading;
        // The next person gets another attempt; this one is told.
        reading.catch(() => {
          if (latest === reading) latest = undefined;
        });
      }
      return latest;
    },
  };
}
