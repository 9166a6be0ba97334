import type { App } from '../app.ts';
import type { HubMessage, HubRequest } from '../bus/process-hub.ts';
import type { Connection } from '../database/database.ts';
import type { MetricSnapshot } from '../metrics/meters.ts';
import type { ProcessSnapshot } from '../metrics/scraper.ts';

/** What a worker needs to open the service on the database that the supervisor has prepared. */
export interface WorkerSettings {
  connection: Connection;
  maxConnections: number;
  /** Identifies the hub: the supervisor's workers reach each other. */
  reach: string;
}

/** What a worker reports when its part of the service is open. */
export type WorkerReport = Pick<App, 'nodeId' | 'firstKey' | 'setUpLink' | 'models' | 'metricsPort'>;

/** From the supervisor to a worker. */
export type ToWorker =
  | { kind: 'listen'; port: number }
  | { kind: 'open'; settings: WorkerSettings }
  /** All workers are open: /readyz may say so. */
  | { kind: 'serve' }
  | { kind: 'stop' }
  /** Asks for the worker's own metrics. */
  | { kind: 'read metrics'; id: number }
  /** The metrics of all workers, for one that has asked for them. */
  | { kind: 'all metrics'; id: number; processes: ProcessSnapshot[] }
  | { kind: 'bus'; items: readonly HubMessage[] };

/** From a worker to the supervisor. */
export type FromWorker =
  | { kind: 'listening'; port: number }
  | { kind: 'opened'; report: WorkerReport }
  | { kind: 'failed'; reason: string }
  /** Asks for the metrics of all workers. */
  | { kind: 'collect metrics'; id: number }
  | { kind: 'metrics'; id: number; metrics: MetricSnapshot[] }
  | { kind: 'bus'; items: readonly HubRequest[] };
