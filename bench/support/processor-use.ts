import { availableParallelism } from 'node:os';
import { idleMilliseconds, type ProcessTimes, readProcesses } from './process-figures.ts';

/** The process ids of each part of a system. Their descendants count too. */
export type Parts = Record<string, readonly number[]>;

export interface ProcessorUse {
  milliseconds: number;
  /** Processor time of each part in milliseconds. */
  spent: Record<string, number>;
  /** The unused share of the machine in percent. */
  idle: number;
}

/** Measures what each part of a system spends during a piece of work. */
export async function measureUse<Outcome>(
  parts: Parts,
  work: () => Promise<Outcome>,
): Promise<ProcessorUse & { outcome: Outcome }> {
  const before = await readTimes(parts);
  const outcome = await work();
  const after = await readTimes(parts);
  const milliseconds = after.at - before.at;
  const spent = Object.keys(parts).map((name) => [
    name,
    (after.spent[name] ?? 0) - (before.spent[name] ?? 0),
  ]);
  return {
    outcome,
    milliseconds,
    spent: Object.fromEntries(spent) as Record<string, number>,
    idle: shareOfMachine(after.idle - before.idle, milliseconds),
  };
}

/** In percent of all its processors. */
export function shareOfMachine(spent: number, milliseconds: number): number {
  return (100 * spent) / (milliseconds * availableParallelism());
}

async function readTimes(parts: Parts) {
  const processes = await readProcesses();
  const children = Map.groupBy(processes.keys(), (id) => processes.get(id)?.parent);
  const total = (id: number): number => sum(children.get(id)?.map(total) ?? []) + timeOf(processes.get(id));
  const spent = Object.entries(parts).map(([name, ids]) => [name, sum(ids.map(total))]);
  return {
    at: performance.now(),
    spent: Object.fromEntries(spent) as Record<string, number>,
    idle: (await idleMilliseconds()) ?? Number.NaN,
  };
}

function timeOf(times: ProcessTimes | undefined): number {
  return times ? times.own + times.ofEnded : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => left + right, 0);
}
