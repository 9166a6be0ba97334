import autocannon from 'autocannon';
import type { Sample } from './compare.ts';
import { percentile } from './numbers.ts';
import { processorMilliseconds } from './process-figures.ts';
import type { MeasuredProcess } from './start-process.ts';

export interface LoadOptions {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
  connections: number;
  seconds: number;
  /** The status of a good answer, if it is not 2xx. */
  status?: number;
}

/** Asks as fast as the answers come. One bad answer fails the benchmark: errors are quick to give. */
export async function load(target: MeasuredProcess, options: LoadOptions): Promise<Sample> {
  const { method, path, headers, body, connections, seconds, status: expected } = options;
  const times: number[] = [];
  const before = await processorMilliseconds(target.pid);
  const started = performance.now();
  const running = autocannon({
    url: target.url + path,
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    connections,
    duration: seconds,
  });
  // Its own histogram knows whole milliseconds only.
  let last = started;
  let unexpected = 0;
  running.on('response', (_client, status: number, _bytes, milliseconds: number) => {
    if (expected !== undefined && status !== expected) unexpected += 1;
    times.push(milliseconds);
    last = performance.now();
  });
  const { errors, non2xx } = await running;
  const after = await processorMilliseconds(target.pid);
  const bad = expected === undefined ? non2xx : unexpected;
  if (errors > 0 || bad > 0 || times.length === 0) {
    throw new Error(`${method} ${path}: ${errors} errors and ${bad} bad answers among ${times.length}.`);
  }
  times.sort((left, right) => left - right);
  return {
    rate: times.length / ((last - started) / 1000),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    ...(before !== undefined && after !== undefined && { processor: (after - before) / times.length }),
  };
}
