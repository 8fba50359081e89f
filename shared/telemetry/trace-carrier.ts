import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";

/** A place in a trace as W3C Trace Context writes it in headers; the names are those of the headers. */
export const TraceCarrier = Type.Object({
  traceparent: Type.String({ maxLength: 200 }),
  tracestate: Type.Optional(Type.String({ maxLength: 1_024 })),
});
export type TraceCarrier = Static<typeof TraceCarrier>;

/** The carrier in headers that may have one; undefined without a `traceparent`. */
export function carrierIn(header: (name: string) => string | undefined): TraceCarrier | undefined {
  const traceparent = header("traceparent") ?? "";
  if (traceparent === "" || traceparent.length > 200) return undefined;
  const tracestate = header("tracestate") ?? "";
  return tracestate === "" || tracestate.length > 1_024 ? { traceparent } : { traceparent, tracestate };
}
