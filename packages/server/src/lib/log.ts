import { pino } from 'pino';

export type Log = pino.Logger;

export interface LogOptions {
  level: string;
  /** Coloured lines for a person instead of JSON for a collector. */
  readable: boolean;
  /** On every line, where several processes write to one log. */
  processId?: number;
}

export function createLog({ level, readable, processId }: LogOptions): Log {
  const options: pino.LoggerOptions = {
    level,
    base: processId === undefined ? null : { pid: processId },
    serializers: { err: (error: unknown) => pino.stdSerializers.err(withoutStatements(error)) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['authorization', '*.authorization', 'req.headers', 'headers'], censor: '***' },
  };
  if (!readable) return pino(options);
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss', ignore: 'request_id' } },
  });
}

/** The query builder's message repeats the whole statement with what users wrote, so only its cause is logged. */
function withoutStatements(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error.message.startsWith('Failed query') && error.cause) return withoutStatements(error.cause);
  if (error.cause instanceof Error) error.cause = withoutStatements(error.cause);
  return error;
}
