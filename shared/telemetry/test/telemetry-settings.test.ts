import { expect } from "chai";
import { readTelemetrySettings, telemetrySecrets } from "#shared/telemetry/telemetry-settings.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" };

describe("readTelemetrySettings", () => {
  it("is off without an endpoint, and where the standard's variables switch it off", () => {
    expect(readTelemetrySettings({})).to.equal(undefined);
    expect(readTelemetrySettings({ OTEL_TRACES_SAMPLER: "always_on" })).to.equal(undefined);
    expect(readTelemetrySettings({ ...ENDPOINT, OTEL_SDK_DISABLED: "TRUE" })).to.equal(undefined);
    expect(readTelemetrySettings({ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" })).to.equal(undefined);
  });

  it("samples all that its caller samples, without content, and keeps the queue bounded", () => {
    expect(readTelemetrySettings(ENDPOINT)).to.deep.include({
      sampler: { name: "parentbased_always_on", ratio: 1 },
      capturesContent: false,
      variables: ENDPOINT,
    });
    expect(readTelemetrySettings(ENDPOINT)?.batch.maxQueueSize).to.equal(2_048);
  });

  it("reads the sampler, and content in both forms of its variable", () => {
    const read = (variables: Readonly<Record<string, string>>) =>
      readTelemetrySettings({ ...ENDPOINT, ...variables });
    expect(
      read({ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" })?.sampler,
    ).to.deep.equal({ name: "parentbased_traceidratio", ratio: 0.25 });
    const captures = (value: string) =>
      read({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value })?.capturesContent;
    expect(["true", "SPAN_ONLY", "span_and_event"].map(captures)).to.deep.equal([true, true, true]);
    expect(["", "NO_CONTENT", "EVENT_ONLY"].map(captures)).to.deep.equal([false, false, false]);
  });

  it("names a variable that it cannot follow, and what is allowed", () => {
    const wrong: readonly (readonly [string, string, string])[] = [
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "http://"],
      ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/protobuf"],
      ["OTEL_TRACES_EXPORTER", "zipkin", "otlp"],
      ["OTEL_TRACES_SAMPLER", "sometimes", "always_on"],
      ["OTEL_BSP_MAX_QUEUE_SIZE", "many", "whole number"],
      ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "yes", "span_only"],
    ];
    for (const [name, value, allowed] of wrong) {
      expect(() => readTelemetrySettings({ ...ENDPOINT, [name]: value }))
        .to.throw(name)
        .with.property("message")
        .that.includes(allowed);
    }
    const ratio = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" };
    expect(() => readTelemetrySettings({ ...ENDPOINT, ...ratio })).to.throw("OTEL_TRACES_SAMPLER_ARG");
  });

  it("follows the protocol of traces, whatever the general one is", () => {
    const read = (general: string, traces: string) =>
      readTelemetrySettings({
        ...ENDPOINT,
        OTEL_EXPORTER_OTLP_PROTOCOL: general,
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: traces,
      });
    expect(read("grpc", "http/protobuf")).to.not.equal(undefined);
    expect(() => read("http/protobuf", "grpc")).to.throw("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL");
  });

  it("knows the secrets in the headers for the collector", () => {
    const variables = { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abcdefgh1,x-key=ijklmnop2" };
    expect(telemetrySecrets(variables)).to.include.members(["abcdefgh1", "ijklmnop2"]);
    expect(telemetrySecrets({})).to.deep.equal([]);
  });
});
