import { startRedisServer } from '../../packages/server/test/support/redis-server.ts';
import type { CleanUp } from './clean-up.ts';
import type { MeasuredProcess } from './start-process.ts';

/** A Redis that keeps nothing, until the run is over. */
export async function startRedis(cleanUp: CleanUp): Promise<MeasuredProcess> {
  const redis = await startRedisServer().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('redis-server is not installed. On Debian: apt-get install redis-server', {
      cause: error,
    });
  });
  await cleanUp.add(() => redis.stop());
  const about = String(await redis.command('INFO', 'server'));
  return { url: redis.url, pid: Number(/^process_id:(\d+)/m.exec(about)?.[1]) };
}
