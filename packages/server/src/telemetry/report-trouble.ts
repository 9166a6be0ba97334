import { DiagLogLevel, diag } from '@opentelemetry/api';
import type { Log } from '../lib/log.ts';

const quietMilliseconds = 60_000;

/** Logs failed deliveries to the collector, at most once a minute: they concern the operator, not the turns. */
export function reportTroubleTo(log: Log): (error: unknown) => void {
  let quietUntil = 0;
  const report = (reason: string) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + quietMilliseconds;
    log.warn({ reason: reason.slice(0, 200) }, 'Telemetry could not be delivered.');
  };
  const reportText = (text: string) => report(messageIn(text));
  const ignore = () => undefined;
  diag.setLogger(
    { error: reportText, warn: reportText, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return (error) => report(error instanceof Error ? error.message : 'unknown');
}

/** The library flattens errors to JSON. Only the message is logged, as the collector's response may repeat its key. */
function messageIn(text: string): string {
  if (!text.startsWith('{')) return text;
  return /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? 'unknown';
}
