import type { Span } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { addressWithoutSecrets } from '../base/addressWithoutSecrets.ts';
import { packageVersion } from '../base/packageVersion.ts';
import type { CallObserver, ModelCall, ToolCall } from '../contract/calls.ts';

/** An open exporter of traces. */
export interface Telemetry {
  readonly observer: CallObserver;
  /** Sends the rest; gives up after a few seconds, since a run must not hang on its collector. */
  close(): Promise<void>;
}

/** Destination of traces and their description of the run. */
export interface TelemetryOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly run: string;
  readonly log: (line: string) => void;
}

const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
];
const CLOSE_MS = 5_000;

/**
 * True if the standard variables enable traces (OpenTelemetry, environment variable specification): an endpoint is
 * set, and neither the SDK nor the trace exporter is disabled.
 */
export function wantsTelemetry(env: NodeJS.ProcessEnv): boolean {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return Boolean(endpoint) && env.OTEL_SDK_DISABLED !== 'true' && env.OTEL_TRACES_EXPORTER !== 'none';
}

/**
 * Exports one span per call, by the conventions for generative AI, through the official SDK: loaded only here, and
 * not a dependency of the package. If it is missing, a line says so and nothing is exported.
 * @returns undefined when no export is asked for, or possible
 */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry | undefined> {
  if (!wantsTelemetry(options.env)) return undefined;
  try {
    return await openSdk(options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    options.log(
      `OpenTelemetry: an OTLP endpoint is set, but the SDK is not installed; for traces: npm install ${PACKAGES.join(' ')}`,
    );
    return undefined;
  }
}

async function openSdk({ env, run, log }: TelemetryOptions): Promise<Telemetry> {
  const { SpanKind, SpanStatusCode } = await import('@opentelemetry/api');
  const { BasicTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  // The SDK retries for this long; the end of a run must not wait for it.
  const timeout = env.OTEL_EXPORTER_OTLP_TIMEOUT ? {} : { timeoutMillis: CLOSE_MS };
  const exporter = new OTLPTraceExporter(timeout);
  const lost = countLost(exporter);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': env.OTEL_SERVICE_NAME || 'coa-distill',
      'service.version': packageVersion(),
      'coa_distill.run': run,
    }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('coa-distill', packageVersion());
  const end = (span: Span, { outcome, startedAt, durationMs }: ModelCall | ToolCall): void => {
    if (outcome !== 'ok') {
      span.setAttribute('error.type', outcome);
      span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
    }
    span.end(startedAt + durationMs);
  };
  return {
    observer: {
      modelCall(call) {
        const attributes = modelAttributes(call);
        const { startedAt: startTime } = call;
        end(tracer.startSpan(`chat ${call.model}`, { kind: SpanKind.CLIENT, startTime, attributes }), call);
      },
      toolCall(call) {
        const attributes = toolAttributes(call);
        const { startedAt: startTime } = call;
        end(
          tracer.startSpan(`execute_tool ${call.tool}`, { kind: SpanKind.INTERNAL, startTime, attributes }),
          call,
        );
      },
    },
    async close() {
      const inTime = await withinTime(provider.shutdown());
      if (lost() > 0 || !inTime)
        log('OpenTelemetry: not all spans reached the collector; the calls are in events.jsonl');
    },
  };
}

/** Counts spans that an exporter failed to send: the SDK only reports them to its logger. */
function countLost(exporter: SpanExporter): () => number {
  let lost = 0;
  const send = exporter.export.bind(exporter);
  exporter.export = (spans, done) =>
    send(spans, (result) => {
      if (result.code !== 0) lost += spans.length;
      done(result);
    });
  return () => lost;
}

/** Limits the wait: an unreachable or slow collector is not the run's fault. Returns false on a timeout. */
async function withinTime(closing: Promise<void>): Promise<boolean> {
  const time = new AbortController();
  const over = new Promise<false>((resolve) => {
    const timer = setTimeout(() => resolve(false), CLOSE_MS);
    time.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
  const closed = closing.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([closed, over]);
  time.abort();
  return inTime;
}

/**
 * Attributes of the conventions for generative AI clients (opentelemetry.io/docs/specs/semconv/gen-ai). Contains no
 * text.
 */
function modelAttributes({ scope, model, provider, usage, finishReason, costUsd }: ModelCall) {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    ...serverAttributes(provider),
    ...(scope && {
      'gen_ai.conversation.id': scope.work.task_id,
      'gen_ai.agent.name': scope.role,
    }),
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.prompt_tokens,
      'gen_ai.usage.output_tokens': usage.completion_tokens,
      'coa_distill.cost_usd': costUsd,
    }),
    ...(finishReason !== null && { 'gen_ai.response.finish_reasons': [finishReason] }),
  };
}

function serverAttributes(provider: string) {
  if (!URL.canParse(provider)) return {};
  const { hostname, port } = new URL(addressWithoutSecrets(provider));
  return { 'server.address': hostname, ...(port !== '' && { 'server.port': Number(port) }) };
}

function toolAttributes({ work, tool }: ToolCall) {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    ...(work && { 'gen_ai.conversation.id': work.task_id }),
  };
}
