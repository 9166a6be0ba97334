import { callEndReasons } from '@svc/contract/calls';
import { channelNames } from '@svc/contract/channels';
import { retentionKinds } from '@svc/contract/retention';
import { providers } from '../models/providers/providers.ts';

/** The values that each label can have. Everything else is counted as `other`, so that no caller can add series. */
export type Labels = Readonly<Record<string, readonly string[]>>;

export interface Series {
  name: string;
  help: string;
  labels: Labels;
  /** Of what is read when it is scraped; a gauge if left out. */
  type?: 'counter';
}

export interface HistogramSeries extends Series {
  /** The upper bounds of the buckets. */
  buckets: readonly number[];
}

const provider = [...providers.map(({ name }) => name), 'local'];
const operation = ['chat', 'embedding', 'speaking', 'listening'];
/** The first are the queues of background jobs. */
const queue = [
  'approval-notices',
  'knowledge-ingestion',
  'knowledge-pages',
  'knowledge-reindex',
  'post-call',
  'recordings-to-bucket',
  'response-validation',
  'run-webhooks',
  'dead-letter',
  'turns',
  'node-commands',
];
const pool = ['main', 'urgent', 'counting'];

/** What each process counts from its start. */
export const counters = {
  httpRequests: {
    name: 'svc_http_requests_total',
    help: 'Requests that were answered, by the class of the status.',
    labels: { status: ['2xx', '3xx', '4xx', '5xx'] },
  },
  turnsStarted: {
    name: 'svc_turns_started_total',
    help: 'Turns that a node began to run, or resumed, by channel.',
    labels: { channel: channelNames },
  },
  turnsEnded: {
    name: 'svc_turns_ended_total',
    help: 'Turns that a node no longer runs, by what became of them.',
    labels: { outcome: ['completed', 'paused', 'stopped', 'failed', 'handed_over', 'lost'] },
  },
  steps: {
    name: 'svc_turn_steps_total',
    help: 'Steps of turns, by kind.',
    labels: { kind: ['reply', 'run', 'ask', 'close', 'finish'] },
  },
  tokens: {
    name: 'svc_model_tokens_total',
    help: 'Tokens of model requests. Input that the provider had cached is counted only as cached_input.',
    labels: { provider, direction: ['input', 'cached_input', 'output'] },
  },
  cost: {
    name: 'svc_cost_usd_total',
    help: 'Cost of model requests and calls in US dollars, as far as prices are known.',
    labels: { kind: ['chat', 'embedding', 'call'] },
  },
  providerErrors: {
    name: 'svc_provider_errors_total',
    help: 'Attempts at a provider that failed, by provider and kind.',
    labels: { provider, kind: ['unavailable', 'rate_limited', 'rejected', 'context_too_long'] },
  },
  callsEnded: {
    name: 'svc_calls_ended_total',
    help: 'Calls that ended, by reason.',
    labels: { reason: callEndReasons },
  },
  egressRefusals: {
    name: 'svc_egress_refusals_total',
    help: 'Outbound requests that the guard refused, by reason.',
    labels: { reason: ['address', 'url', 'redirect', 'header', 'method', 'host'] },
  },
  expired: {
    name: 'svc_retention_deleted_total',
    help: 'Rows that were deleted because they were older than their workspace keeps them, by kind.',
    labels: { kind: retentionKinds },
  },
  cacheLookups: {
    name: 'svc_cache_lookups_total',
    help: 'Look-ups in caches of a process, by cache and result.',
    labels: { cache: ['account_keys', 'widget_keys', 'bots', 'histories'], result: ['hit', 'miss'] },
  },
} as const satisfies Record<string, Series>;

export const histograms = {
  providerSeconds: {
    name: 'svc_provider_request_seconds',
    help: 'Duration of successful attempts at a provider: whole replies, embedded batches, the time until a sentence begins to sound, and how long a stream of recognition was open.',
    labels: { provider, operation },
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
} as const satisfies Record<string, HistogramSeries>;

/** Reported about each process by the one that is scraped. */
export const processUp = {
  name: 'svc_process_up',
  help: 'Whether a process of this machine answered the last time that it was asked for its series.',
  labels: {},
} as const satisfies Series;

/** What a process reads when it is scraped. */
export const gauges = {
  turnsInProgress: {
    name: 'svc_turns_in_progress',
    help: 'Turns that a process runs at the moment.',
    labels: {},
  },
  callsInProgress: {
    name: 'svc_calls_in_progress',
    help: 'Calls whose line is on this process.',
    labels: {},
  },
  streamReaders: {
    name: 'svc_stream_readers',
    help: 'Open event streams and WebSockets.',
    labels: { kind: ['events', 'websocket'] },
  },
  recognitionLag: {
    name: 'svc_speech_recognition_lag_seconds',
    help: 'How far local speech recognition is behind what callers say, at worst in the last 10 seconds.',
    labels: {},
  },
  poolConnections: {
    name: 'svc_database_pool_connections',
    help: 'Connections to the database, by pool and state.',
    labels: { pool, state: ['in_use', 'idle'] },
  },
  poolWaiting: {
    name: 'svc_database_pool_waiting',
    help: 'Statements and transactions that wait for a connection at the moment.',
    labels: { pool },
  },
  poolWaits: {
    name: 'svc_database_pool_waits_total',
    help: 'Statements and transactions that had to wait because all connections of their pool were in use.',
    labels: { pool },
    type: 'counter',
  },
  diskFree: {
    name: 'svc_data_disk_free_bytes',
    help: 'Free space where the data directory is.',
    labels: {},
  },
  diskSize: {
    name: 'svc_data_disk_size_bytes',
    help: 'Size of the disk where the data directory is.',
    labels: {},
  },
} as const satisfies Record<string, Series>;

/** What the database knows about all nodes together. Every node reports the same: use `max`, not `sum`. */
export const databaseGauges = {
  up: {
    name: 'svc_database_up',
    help: 'Whether the database answered the last time that it was asked.',
    labels: {},
  },
  nodes: {
    name: 'svc_nodes',
    help: 'Processes that have announced themselves, by whether they are alive.',
    labels: { state: ['alive', 'lost'] },
  },
  leases: {
    name: 'svc_turn_leases',
    help: 'Unfinished turns, by the holder of their lease: a node that is alive, a lost one, none after a hand-over, or paused while they wait for a person.',
    labels: { holder: ['alive', 'lost', 'none', 'paused'] },
  },
  queueDepth: {
    name: 'svc_queue_depth',
    help: 'What is due and waits to be taken, by queue.',
    labels: { queue },
  },
  queueActive: {
    name: 'svc_queue_active',
    help: 'Background jobs that run at the moment, by queue.',
    labels: { queue },
  },
  queueOldest: {
    name: 'svc_queue_oldest_seconds',
    help: 'How long the oldest of what is due has waited, by queue.',
    labels: { queue },
  },
} as const satisfies Record<string, Series>;
