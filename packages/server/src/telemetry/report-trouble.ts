import { DiagLogLevel, diag } from '@opentelemetry/api';
import type { Log } from '../log.ts';

const quietMilliseconds = 60_000;

/** What goes wrong on the way to the collector, at most once a minute: it concerns the operator, not the turns. */
export function reportTroubleTo(log: Log): (error: unknown) => void {
  let quietUntil = 0;
  const tell = (reason: string) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + quietMilliseconds;
    log.warn({ reason: reason.slice(0, 200) }, 'Telemetry could not be delivered.');
  };
  const tellText = (text: string) => tell(messageIn(text));
  const ignore = () => undefined;
  diag.setLogger(
    { error: tellText, warn: tellText, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return (error) => tell(error instanceof Error ? error.message : 'unknown');
}

/** The library flattens errors to JSON; of that only the message, as the collector's answer may repeat its key. */
function messageIn(text: string): string {
  if (!text.startsWith('{')) return text;
  return /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? 'unknown';
}
