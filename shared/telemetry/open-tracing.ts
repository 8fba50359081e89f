import { hostname } from "node:os";
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  isSpanContextValid,
  trace,
  type Context,
  type Span as OtelSpan,
  type Tracer,
  DiagLogLevel,
  diag,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator, setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  TracerProvider,
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from "@opentelemetry/sdk-trace";
import { CancelledError, RetryableError, TerminalError, coerceError } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { TelemetrySettings, SamplerName } from "#shared/telemetry/telemetry-settings.ts";
import { carrierIn, type TraceCarrier } from "#shared/telemetry/trace-carrier.ts";
import type { Span, SpanAttributes, SpanOptions, Tracing } from "#shared/telemetry/tracing.ts";
import packageJson from "../../package.json" with { type: "json" };

/** Spans that wait for attributes at a time; a further one is sent without them. */
const MAX_LATE_SPANS = 200;

/** The attribute of a span whose later attributes could not be had. */
const WITHHELD = "tarsy.content_withheld";

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const satisfies Record<NonNullable<SpanOptions["kind"]>, SpanKind>;

/** The parts that `startTelemetry` switches on. */
interface OpenTracing extends Tracing {
  /** Sends what is queued and ends; rejects if that fails. */
  shutdown(): Promise<void>;
}

/** Opens OpenTelemetry's SDK for a service. Only `startTelemetry` loads this module: it takes some 20 MB. */
export function openTracing(service: string, settings: TelemetrySettings, log: Logger): OpenTracing {
  reportTelemetryFailures(log);
  const contexts = new AsyncLocalStorageContextManager();
  context.setGlobalContextManager(contexts.enable());
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          "service.name": `tarsy-${service}`,
          "service.namespace": "tarsy",
          "service.version": packageJson.version,
          "service.instance.id": `${hostname()}-${process.pid}`,
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerFor(settings.sampler),
    spanLimits: {
      attributeCountLimit: settings.attributeCountLimit,
      attributeValueLengthLimit: settings.attributeValueLengthLimit,
    },
    spanProcessors: [new BatchSpanProcessor({ ...settings.batch, exporter: new OTLPTraceExporter() })],
  });
  const spans = new Spans(provider.getTracer("tarsy"));
  return {
    capturesContent: settings.capturesContent,
    inSpan: (name, options, work) => spans.run(name, options, work),
    event: (name, attributes) => void trace.getActiveSpan()?.addEvent(name, { ...attributes }),
    carrier: () => carrierOf(context.active()),
    ids: () => {
      const current = trace.getSpanContext(context.active());
      return current === undefined ? {} : { trace_id: current.traceId, span_id: current.spanId };
    },
    shutdown: () => provider.shutdown(),
  };
}

const propagator = new W3CTraceContextPropagator();

function carrierOf(active: Context): TraceCarrier | undefined {
  const headers: Record<string, string> = {};
  propagator.inject(active, headers, defaultTextMapSetter);
  return carrierIn((name) => headers[name]);
}

function contextOf({ parent }: SpanOptions): Context {
  if (parent === undefined) return context.active();
  if (parent === null) return ROOT_CONTEXT;
  const found = propagator.extract(ROOT_CONTEXT, { ...parent }, defaultTextMapGetter);
  const remote = trace.getSpanContext(found);
  return remote !== undefined && isSpanContextValid(remote) ? found : ROOT_CONTEXT;
}

class Spans {
  readonly #tracer: Tracer;
  #late = 0;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  async run<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const { kind = "internal", attributes = {} } = options;
    const from = contextOf(options);
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, from);
    const late: Promise<SpanAttributes>[] = [];
    try {
      return await context.with(trace.setSpan(from, span), () => work(handleOf(span, late)));
    } catch (error) {
      // A cancelled run has not failed: it was stopped, or another process continues it.
      if (error instanceof CancelledError) span.setAttribute("tarsy.cancelled", error.reason);
      else fail(span, errorType(error));
      throw error;
    } finally {
      this.#end(span, late);
    }
  }

  #end(span: OtelSpan, late: readonly Promise<SpanAttributes>[]): void {
    if (late.length === 0 || this.#late >= MAX_LATE_SPANS) {
      if (late.length > 0) span.setAttribute(WITHHELD, true);
      span.end();
      return;
    }
    const endedAt = new Date();
    this.#late += 1;
    void (async () => {
      for (const result of await Promise.allSettled(late)) {
        if (result.status === "fulfilled") span.setAttributes({ ...result.value });
        else span.setAttribute(WITHHELD, true);
      }
      this.#late -= 1;
      span.end(endedAt);
    })();
  }
}

function handleOf(span: OtelSpan, late: Promise<SpanAttributes>[]): Span {
  return {
    set: (attributes) => void span.setAttributes({ ...attributes }),
    rename: (name) => void span.updateName(name),
    fail: (type) => fail(span, type),
    setLater: (attributes) => {
      attributes.catch(() => undefined);
      late.push(attributes);
    },
  };
}

function fail(span: OtelSpan, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The code or the class: a message may quote data that must not leave the system. */
function errorType(thrown: unknown): string {
  const error = coerceError(thrown);
  return error instanceof TerminalError || error instanceof RetryableError ? error.code : error.name;
}

/** The sampler that OTEL_TRACES_SAMPLER names. */
function samplerFor({ name, ratio }: TelemetrySettings["sampler"]): Sampler {
  const samplers: Record<SamplerName, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
    parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: () => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
  };
  return samplers[name]();
}

const EVERY_MS = 60_000;
const MAX_CHARS = 300;

/** Logs what OpenTelemetry's SDK reports, such as a collector that does not answer: at most one line a minute. */
function reportTelemetryFailures(log: Logger): void {
  let loggedAt = -Infinity;
  let suppressed = 0;
  const report = (error: string) => {
    if (performance.now() - loggedAt < EVERY_MS) {
      suppressed += 1;
      return;
    }
    loggedAt = performance.now();
    log.warn({ error: error.slice(0, MAX_CHARS), suppressed }, "traces are not sent completely");
    suppressed = 0;
  };
  const nothing = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler((error) =>
    report(typeof error === "string" ? error : (error.message ?? error.name ?? "unknown")),
  );
}
