import type { NodeFigures, SystemFigures } from '@svc/contract/console-system';
import { bytes, count } from '../../../format/numbers.ts';

/** One figure of the installation, as it is shown. */
export interface Figure {
  name: string;
  value: string;
  /** More about it. */
  note?: string;
  /** The alerts for Prometheus would soon report it: deploy/prometheus/alerts.yml. */
  isHigh?: boolean;
}

const maxDelayMs = 250;
const maxLagMs = 3_000;
const maxOldestSeconds = 600;
const minFreeShare = 0.1;

/** The nodes together: sums, and the worst of what cannot be added. */
export function totalsOf({ nodes, alive_nodes: alive, queues }: SystemFigures): Figure[] {
  const known = nodes.flatMap(({ figures }) => figures ?? []);
  const sum = (read: (node: NodeFigures) => number) => known.reduce((total, node) => total + read(node), 0);
  const worst = (read: (node: NodeFigures) => number | null) =>
    Math.max(0, ...known.map((node) => read(node) ?? 0));
  const delay = worst(({ event_loop_delay_ms: ms }) => ms);
  const isMeasured = known.some(({ event_loop_delay_ms: ms }) => ms !== null);
  const lag = worst(({ recognition_lag_ms: ms }) => ms);
  const awaited = sum(({ connections_awaited: waiting }) => waiting);
  const oldest = Math.max(0, ...(queues ?? []).map(({ oldest_seconds: seconds }) => seconds));
  const silent = nodes.length - known.length;
  const aboutNodes = [
    ...(alive > nodes.length ? [`${count(nodes.length)} of ${count(alive)} asked`] : []),
    ...(silent > 0 ? [`${count(silent)} did not answer`] : []),
  ];
  return [
    {
      name: 'Nodes',
      value: count(alive),
      ...(aboutNodes.length > 0 && { note: aboutNodes.join(', ') }),
    },
    { name: 'Turns in progress', value: count(sum((node) => node.turns_in_progress)) },
    { name: 'Calls in progress', value: count(sum((node) => node.calls_in_progress)) },
    { name: 'Readers', value: count(sum((node) => node.stream_readers)) },
    {
      name: 'Waiting in queues',
      value: queues ? count(queues.reduce((total, { waiting }) => total + waiting, 0)) : 'unknown',
      ...(oldest > 0 && { note: `the oldest for ${count(oldest)} s` }),
      isHigh: oldest > maxOldestSeconds,
    },
    {
      name: 'Event-loop delay',
      value: isMeasured ? `${count(Math.round(delay))} ms` : 'measuring …',
      isHigh: delay > maxDelayMs,
    },
    {
      name: 'Database connections',
      value: `${count(sum((node) => node.connections_in_use))} in use`,
      ...(awaited > 0 && { note: `${count(awaited)} waiting` }),
      isHigh: awaited > 0,
    },
    { name: 'Recognition behind', value: `${count(lag)} ms`, isHigh: lag > maxLagMs },
    failuresOf(known),
    { name: 'Memory', value: bytes(sum((node) => node.memory_bytes)) },
    ...diskOf(known),
  ];
}

function failuresOf(nodes: readonly NodeFigures[]): Figure {
  const counts = new Map<string, number>();
  for (const { provider, count: failed } of nodes.flatMap((node) => node.provider_failures))
    counts.set(provider, (counts.get(provider) ?? 0) + failed);
  const total = [...counts.values()].reduce((sum, failed) => sum + failed, 0);
  return {
    name: 'Provider failures, 10 min',
    value: count(total),
    ...(total > 0 && {
      note: [...counts].map(([provider, failed]) => `${provider} ${count(failed)}`).join(', '),
    }),
    isHigh: total > 0,
  };
}

/** The fullest disk. */
function diskOf(nodes: readonly NodeFigures[]): Figure[] {
  const disks = nodes.flatMap(({ disk_free_bytes: free, disk_size_bytes: size }) =>
    free === null || !size ? [] : [{ free, share: free / size }],
  );
  const [fullest] = disks.toSorted((one, other) => one.share - other.share);
  if (!fullest) return [];
  return [
    {
      name: 'Disk',
      value: `${Math.round(fullest.share * 100)}% free`,
      note: bytes(fullest.free),
      isHigh: fullest.share < minFreeShare,
    },
  ];
}
