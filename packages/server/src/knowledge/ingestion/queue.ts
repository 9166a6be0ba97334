import type { JobQueue } from '../../jobs/queue.ts';

export interface Ingestion {
  workspaceId: string;
  knowledgeId: string;
  revision: number;
}

/**
 * The source counts its attempts itself and says when it has failed, so that it also ends when its last attempt was cut
 * off by a crash; here there are always some left.
 */
export const ingestionQueue: JobQueue<Ingestion> = {
  name: 'knowledge-ingestion',
  retryLimit: 50,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 120,
  expireSeconds: 3600,
  workers: 4,
};
