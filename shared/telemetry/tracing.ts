import type { TraceCarrier } from "#shared/telemetry/trace-carrier.ts";

/** Undefined values are left out. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** A span that is under way. */
export interface Span {
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** Marks the span as failed. `errorType` is one of few values, such as an error's code; never a message, which may hold a secret. */
  fail(errorType: string): void;
  /**
   * Attributes that are known later: the span is sent once they are, but ends with its work. After a rejection it
   * has `tarsy.content_withheld` instead.
   */
  setLater(attributes: Promise<SpanAttributes>): void;
}

export interface SpanOptions {
  readonly kind?: "internal" | "server" | "client" | "consumer";
  readonly attributes?: SpanAttributes;
  /** The carrier of the parent trace; null begins a new one. Without it the span is a child of the running one. */
  readonly parent?: TraceCarrier | null | undefined;
}

/** The tracer, once it is switched on. */
export interface Tracing {
  readonly capturesContent: boolean;
  inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  event(name: string, attributes: SpanAttributes): void;
  carrier(): TraceCarrier | undefined;
  ids(): LogIds;
}

/** The fields of a log line that name its span. */
interface LogIds {
  readonly trace_id?: string;
  readonly span_id?: string;
}

/** Undefined while tracing is off. It belongs to the process, like the asynchronous context that it follows. */
let tracing: Tracing | undefined;

const nothing = () => undefined;
const NO_SPAN: Span = { set: nothing, rename: nothing, fail: nothing, setLater: nothing };
const NO_IDS: LogIds = {};

/** Switches tracing on, or off with `undefined`. For `startTelemetry` and tests. */
export function setTracing(next: Tracing | undefined): void {
  tracing = next;
}

/** True if spans are recorded. */
export function isTracing(): boolean {
  return tracing !== undefined;
}

/** True if spans may hold what models and tools said; masked. */
export function capturesContent(): boolean {
  return tracing?.capturesContent === true;
}

/**
 * Does the work in a span, which ends with it; everything that the work calls, and waits for, has the span as its parent. If the
 * work throws, the span has the error's code as `error.type`, and nothing of its message. While tracing is off only the work is done.
 */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracing === undefined ? work(NO_SPAN) : tracing.inSpan(name, options, work);
}

/** Adds an event to the running span. */
export function spanEvent(name: string, attributes: SpanAttributes): void {
  tracing?.event(name, attributes);
}

/** The running span as headers for another process; undefined without one. */
export function traceCarrier(): TraceCarrier | undefined {
  return tracing?.carrier();
}

/** `trace_id` and `span_id` of the running span for a log line. */
export function logIds(): LogIds {
  return tracing?.ids() ?? NO_IDS;
}
