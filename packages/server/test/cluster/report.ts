import { type Finding, formatTime, type History, type TimelineEntry } from './history.ts';
import type { ClusterResult } from './run-cluster.ts';

const maxFindings = 20;
const maxLines = 60;

/** The table at the end of a run. */
export function renderSummary({ history, slowestTakeoverMs }: ClusterResult): string {
  const kinds = new Map<string, number>();
  for (const { kind } of history.acknowledged) {
    kinds.set(`acknowledged: ${kind}`, (kinds.get(`acknowledged: ${kind}`) ?? 0) + 1);
  }
  const previews = history.followers.reduce((total, { view }) => total + view.previewCount(), 0);
  const rows: [string, string | number][] = [
    ...kinds,
    ...[...history.counts].toSorted(([left], [right]) => left.localeCompare(right)),
    ['followers', history.followers.length],
    ['previews seen by followers', previews],
    ['slowest takeover', `${(slowestTakeoverMs / 1000).toFixed(1)} s`],
    ['findings', history.findings.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** Every finding with the part of the timeline that mentions its ids, and the faults around it. */
export function renderFindings(history: History): string {
  const shown = history.findings.slice(0, maxFindings).map((finding) => renderFinding(finding, history));
  const left = history.findings.length - shown.length;
  return [...shown, ...(left > 0 ? [`… and ${left} more.`] : [])].join('\n\n');
}

function renderFinding({ what, ids, detail }: Finding, { timeline }: History): string {
  const mentions = ({ text }: TimelineEntry) =>
    !text.startsWith('FINDING') && ids.some((id) => text.includes(id));
  const isFault = ({ text }: TimelineEntry) => /^(fault|lifted|node \d|all faults)/.test(text);
  const related = timeline.filter(mentions);
  const first = (related[0]?.atMs ?? 0) - 15_000;
  const last = (related.at(-1)?.atMs ?? 0) + 2_000;
  const lines = timeline
    .filter((entry) => entry.atMs >= first && entry.atMs <= last && (mentions(entry) || isFault(entry)))
    .slice(-maxLines)
    .map(({ atMs, text }) => `  ${formatTime(atMs)}  ${text}`);
  return [`FINDING: ${what}`, `  ids: ${ids.join(', ')}`, ...(detail ? [`  ${detail}`] : []), ...lines].join(
    '\n',
  );
}
