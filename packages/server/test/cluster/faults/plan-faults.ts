import { choicesFor } from '../choices.ts';

const nodeFaults = [
  'kill node',
  'roll node',
  'pause node',
  'cut database of node',
  'hold database of node',
  'slow database of node',
] as const;
const databaseFaults = ['restart postgres', 'crash postgres', 'kill postgres'] as const;
const redisFaults = [
  'restart redis',
  'kill redis',
  'pause redis',
  'cut redis of node',
  'hold redis of node',
] as const;

export type FaultKind =
  | (typeof nodeFaults)[number]
  | (typeof databaseFaults)[number]
  | (typeof redisFaults)[number]
  | 'upgrade node';

export interface Fault {
  atMs: number;
  kind: FaultKind;
  node: number;
  durationMs: number;
}

export interface FaultPlanOptions {
  seed: number;
  loadMs: number;
  nodes: number;
  withRedis: boolean;
  /** The nodes start with an older version and are upgraded one by one. */
  withUpgrade: boolean;
  /** The first node lives through the whole run. */
  sparesFirst: boolean;
}

/** Faults after which a node is another process. */
const endings: readonly FaultKind[] = ['kill node', 'roll node'];
/** Others take over the turns of a node that was silent for this long. */
const leaseMs = 15_000;
/** How long each fault lasts at most. */
const longestMs: Partial<Record<FaultKind, number>> = {
  'pause node': 20_000,
  'hold database of node': 18_000,
  'cut database of node': 8_000,
  'slow database of node': 6_000,
};
const otherLongestMs = 3_000;
/** Shorter runs have their faults closer together. */
const shortMs = 30_000;

/** All faults of a run, in order. Every kind occurs before one occurs again. */
export function planFaults(options: FaultPlanOptions): Fault[] {
  const { seed, loadMs, nodes, withRedis, withUpgrade, sparesFirst } = options;
  const choices = choicesFor(seed, 'faults');
  const kinds: FaultKind[] = [...nodeFaults, ...databaseFaults, ...(withRedis ? redisFaults : [])];
  const faults: Fault[] = [];
  let deck: FaultKind[] = [];
  let atMs = choices.between(1_000, 2_000);
  while (atMs < loadMs - 1_000) {
    if (deck.length === 0) deck = [...kinds];
    const kind = choices.pick(deck);
    deck.splice(deck.indexOf(kind), 1);
    const longest = Math.min(longestMs[kind] ?? otherLongestMs, Math.max(loadMs / 3, 2_000));
    // Half of the faults that can outlive a lease do.
    const least = longest > leaseMs && choices.chance(0.5) ? leaseMs + 1_000 : 200;
    const durationMs = choices.between(least, Math.round(longest));
    const first = sparesFirst && endings.includes(kind) ? 1 : 0;
    faults.push({ atMs, kind, node: choices.between(first, nodes - 1), durationMs });
    atMs += loadMs < shortMs ? choices.between(1_000, 2_000) : choices.between(2_000, 7_000);
  }
  if (withUpgrade) {
    for (let node = 0; node < nodes; node += 1) {
      const share = (node + 1) / (nodes + 1);
      faults.push({ atMs: Math.round(loadMs * share), kind: 'upgrade node', node, durationMs: 0 });
    }
  }
  return faults.toSorted((left, right) => left.atMs - right.atMs);
}
