import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TelemetryConfig } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';
import { modelAttributes } from './conventions.ts';
import { observeModel } from './observe-model.ts';
import { recordFailure } from './span-failure.ts';
import type { Telemetry } from './telemetry.ts';

const deliverWithinMilliseconds = 2_000;

/** Spans with the GenAI conventions, sent in batches over OTLP/HTTP. Only this file and what it imports load the library. */
export function startOpenTelemetry(
  config: TelemetryConfig,
  { nodeId, log }: { nodeId: string; log: Log },
): Telemetry {
  const { endpoint, headers, serviceName, captureContent } = config;
  const reportTrouble = reportTroubleTo(log);
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': serviceName, 'service.instance.id': nodeId }),
    ),
    // By default, a caller that does not record its own trace would remove its turns from the operator's.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('svc');
  /** The running turns by id: all work for a turn knows its id, so no ambient context is needed. */
  const turns = new Map<string, Span>();

  function contextOf(turnId: string): Context {
    const span = turns.get(turnId);
    return span ? trace.setSpan(ROOT_CONTEXT, span) : ROOT_CONTEXT;
  }

  return {
    accept({ turnId, requestId, traceParent }) {
      const attributes = { 'svc.turn.id': turnId, ...requestAttribute(requestId) };
      const span = tracer.startSpan(
        'accept_turn',
        { kind: SpanKind.PRODUCER, attributes },
        remote(traceParent),
      );
      return {
        traceParent: toTraceParent(span),
        end(outcome) {
          span.setAttribute('svc.admission', outcome);
          span.end();
        },
      };
    },

    async turn({ turnId, conversationId, botId, botName, requestId, traceParent, signal }, work) {
      const attributes = {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': botId,
        'gen_ai.agent.name': botName,
        'gen_ai.conversation.id': conversationId,
        'svc.turn.id': turnId,
        ...requestAttribute(requestId),
      };
      const options = { kind: SpanKind.INTERNAL, attributes };
      const span = tracer.startSpan(`invoke_agent ${botName}`, options, remote(traceParent));
      turns.set(turnId, span);
      try {
        return await inSpan(span, signal, work);
      } finally {
        if (turns.get(turnId) === span) turns.delete(turnId);
      }
    },

    modelOf(turnId, model) {
      turns.get(turnId)?.setAttributes(modelAttributes(model));
      return observeModel(model, { tracer, parent: contextOf(turnId), captureContent });
    },

    toolCall(turnId, { id, name, toolType, signal }, work) {
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.id': id,
        'gen_ai.tool.type': 'function',
        'svc.tool.type': toolType,
      };
      const options = { kind: SpanKind.INTERNAL, attributes };
      const span = tracer.startSpan(`execute_tool ${name}`, options, contextOf(turnId));
      return inSpan(span, signal, () => work(toTraceParent(span)));
    },

    nodeCommand(kind, traceParent, work) {
      const options = { kind: SpanKind.CONSUMER, attributes: { 'svc.command': kind } };
      return inSpan(tracer.startSpan(`node_command ${kind}`, options, remote(traceParent)), noSignal, work);
    },

    async stop() {
      await waitAtMost(deliverWithinMilliseconds, provider.shutdown().catch(reportTrouble));
    },
  };
}

const noSignal = new AbortController().signal;

function requestAttribute(requestId: string | undefined) {
  return requestId === undefined ? {} : { 'svc.request.id': requestId };
}

function toTraceParent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** The context of a span of another process; a new trace if there is none. */
function remote(traceParent: string | undefined): Context {
  const [, traceId, spanId, flags] = traceParent?.split('-') ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, context);
}

async function inSpan<Result>(span: Span, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    recordFailure(span, error, signal);
    throw error;
  } finally {
    span.end();
  }
}

const quietMilliseconds = 60_000;

/** Logs failed deliveries to the collector, at most once a minute: they concern the operator, not the turns. */
function reportTroubleTo(log: Log): (error: unknown) => void {
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
