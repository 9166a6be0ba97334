import type { TelemetryConfig } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { noTelemetry, type Telemetry } from './telemetry.ts';

/** OpenTelemetry is loaded only where an endpoint is configured: elsewhere it costs neither memory nor start-up time. */
export async function createTelemetry(
  config: TelemetryConfig | undefined,
  node: { nodeId: string; log: Log },
): Promise<Telemetry> {
  if (!config) return noTelemetry;
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry(config, node);
}
