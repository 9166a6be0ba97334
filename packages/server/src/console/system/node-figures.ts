import type { NodeFigures } from '@svc/contract/console-system';
import { createLoopDelay } from '../../lib/loop-delay.ts';
import type { CommandKind } from '../../nodes/node-commands.ts';
import type { Services } from '../../services.ts';

/** Asks another node for its figures. */
export const nodeFigures: CommandKind<object, NodeFigures> = { name: 'node figures' };

export type OwnFigures = ReturnType<typeof createOwnFigures>;

/** The figures of this process, read when they are wanted. */
export function createOwnFigures({
  meters,
  recentFailures,
  database,
}: Pick<Services, 'meters' | 'recentFailures' | 'database'>) {
  const loopDelay = createLoopDelay();

  async function sumOf(name: Parameters<typeof meters.read>[0]): Promise<number> {
    return (await meters.read(name)).reduce((sum, { value }) => sum + value, 0);
  }

  return {
    async read(): Promise<NodeFigures> {
      const [free, size] = [await meters.read('diskFree'), await meters.read('diskSize')];
      const pools = database.pools();
      const failures = Object.entries(recentFailures.count());
      return {
        turns_in_progress: await sumOf('turnsInProgress'),
        calls_in_progress: await sumOf('callsInProgress'),
        stream_readers: await sumOf('streamReaders'),
        event_loop_delay_ms: loopDelay.read(),
        memory_bytes: process.memoryUsage.rss(),
        connections_in_use: pools.reduce((sum, { inUse }) => sum + inUse, 0),
        connections_awaited: pools.reduce((sum, { waiting }) => sum + waiting, 0),
        recognition_lag_ms: Math.round((await sumOf('recognitionLag')) * 1_000),
        provider_failures: failures.map(([provider, count]) => ({ provider, count })),
        disk_free_bytes: free[0]?.value ?? null,
        disk_size_bytes: size[0]?.value ?? null,
      };
    },
    stop: loopDelay.stop,
  };
}
