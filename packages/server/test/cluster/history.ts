import type { ReaderView } from './reader-view.ts';

/** Something that the service must not do. */
export interface Finding {
  what: string;
  /** Ids and tags by which the timeline is searched. */
  ids: string[];
  detail?: string;
}

export interface TimelineEntry {
  atMs: number;
  text: string;
}

/** A request that the service acknowledged; it must not be lost. */
export type Acknowledged =
  | { kind: 'message'; tag: string; conversationId: string; turnId: string; messageId: string }
  | { kind: 'run'; tag: string; conversationId: string }
  | { kind: 'answer'; approvalId: string; conversationId: string; status: string }
  | { kind: 'stop'; conversationId: string; turnId: string }
  | { kind: 'operator'; conversationId: string; messageId: string; content: string }
  | { kind: 'truncation'; conversationId: string; removed: string[] }
  | { kind: 'revocation'; key: string; hasStreamEnded(): boolean };

/** What one sender saw of its turn, over all of its connections. */
export interface SentTurn {
  tag: string;
  turnId: string;
  conversationId: string;
  view: ReaderView;
  /** The stream ended by itself, so that it must have contained everything. */
  isComplete: boolean;
}

export interface Follower {
  name: string;
  conversationId: string;
  view: ReaderView;
}

/** Everything that clients and faults did, for the checker and for the timeline of a finding. */
export interface History {
  timeline: TimelineEntry[];
  findings: Finding[];
  acknowledged: Acknowledged[];
  sentTurns: SentTurn[];
  followers: Follower[];
  /** Turns that a client wanted to stop, whether or not it got an answer. */
  stopsRequested: Set<string>;
  /** Messages that a client wanted to remove by a truncation. */
  removalsRequested: Set<string>;
  /** Tags of runs that could not be started; nothing may be left of them. */
  runsRefused: Set<string>;
  /** Tags of turns for which the model plays a failure. */
  plannedFailures: Set<string>;
  counts: Map<string, number>;
  note(text: string): void;
  /** Notes it, and prints it too. */
  announce(text: string): void;
  find(finding: Finding): void;
  count(name: string, by?: number): void;
  elapsedMs(): number;
}

export function createHistory(print: (line: string) => void): History {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const history: History = {
    timeline: [],
    findings: [],
    acknowledged: [],
    sentTurns: [],
    followers: [],
    stopsRequested: new Set(),
    removalsRequested: new Set(),
    runsRefused: new Set(),
    plannedFailures: new Set(),
    counts: new Map(),
    elapsedMs,
    note: (text) => void history.timeline.push({ atMs: elapsedMs(), text }),
    announce(text) {
      history.note(text);
      print(`${formatTime(elapsedMs())}  ${text}`);
    },
    find(finding) {
      history.findings.push(finding);
      history.announce(`FINDING: ${finding.what} (${finding.ids.join(', ')})`);
    },
    count: (name, by = 1) => void history.counts.set(name, (history.counts.get(name) ?? 0) + by),
  };
  return history;
}

export function formatTime(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1).padStart(6)} s`;
}
