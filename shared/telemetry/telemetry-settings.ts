import { TerminalError } from "#shared/errors.ts";
import {
  envChoice,
  envInteger,
  envText,
  type Environment,
  secretVariable,
} from "#shared/service/environment.ts";

/** The settings for taking and sending traces. */
export interface TelemetrySettings {
  readonly sampler: { readonly name: SamplerName; readonly ratio: number };
  readonly batch: {
    readonly scheduledDelayMillis: number;
    readonly exportTimeoutMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
  readonly attributeCountLimit: number;
  /** Counted in UTF-16 code units. */
  readonly attributeValueLengthLimit: number;
  /** Spans hold what models and tools said, masked. */
  readonly capturesContent: boolean;
  /** The variables that the exporter of OpenTelemetry reads from the environment itself. */
  readonly variables: Readonly<Record<string, string>>;
}

const SAMPLER_NAMES = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type SamplerName = (typeof SAMPLER_NAMES)[number];

const CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
/** Both forms of the variable: of older and of newer conventions. Events are not recorded, so those that ask for them alone get nothing. */
const CONTENT_VALUES = ["false", "true", "no_content", "span_only", "span_and_event", "event_only"] as const;
const CONTENT_ON: ReadonlySet<string> = new Set(["true", "span_only", "span_and_event"]);
const ENDPOINTS = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"] as const;
const PROTOCOLS = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"] as const;
const HEADERS = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"] as const;
const BOOLEANS = ["true", "false"] as const;
const DAY_MS = 86_400_000;

/**
 * Reads OpenTelemetry's standard variables; undefined if nothing is to be traced: without an endpoint, or switched off. Throws
 * TerminalError naming a variable whose value the services cannot follow.
 */
export function readTelemetrySettings(real: Environment): TelemetrySettings | undefined {
  const env = lowerCase(real, ["OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_TRACES_SAMPLER", CONTENT]);
  if (envChoice(env, "OTEL_SDK_DISABLED", BOOLEANS, "false") === "true") return undefined;
  if (envChoice(env, "OTEL_TRACES_EXPORTER", ["otlp", "none"], "otlp") === "none") return undefined;
  if (!ENDPOINTS.some((name) => envText(env, name, "") !== "")) return undefined;
  for (const name of ENDPOINTS) checkEndpoint(name, envText(env, name, ""));
  // The general variable may speak of other signals once the one of traces is set.
  const protocol = PROTOCOLS.find((name) => envText(env, name, "") !== "");
  if (protocol !== undefined) envChoice(env, protocol, ["http/protobuf"], "http/protobuf");
  return {
    sampler: samplerOf(env),
    batch: {
      scheduledDelayMillis: envInteger(env, "OTEL_BSP_SCHEDULE_DELAY", {
        fallback: 2_000,
        min: 10,
        max: DAY_MS,
      }),
      exportTimeoutMillis: envInteger(env, "OTEL_BSP_EXPORT_TIMEOUT", {
        fallback: 30_000,
        min: 10,
        max: DAY_MS,
      }),
      maxQueueSize: envInteger(env, "OTEL_BSP_MAX_QUEUE_SIZE", { fallback: 2_048, min: 1, max: 100_000 }),
      maxExportBatchSize: envInteger(env, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", {
        fallback: 512,
        min: 1,
        max: 100_000,
      }),
    },
    attributeCountLimit: envInteger(env, "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", {
      fallback: 128,
      min: 1,
      max: 1_024,
    }),
    attributeValueLengthLimit: envInteger(env, "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", {
      fallback: 65_536,
      min: 1,
      max: 1_048_576,
    }),
    capturesContent: CONTENT_ON.has(envChoice(env, CONTENT, CONTENT_VALUES, "false")),
    variables: exporterVariables(real),
  };
}

/** The values of the headers that go to the collector, which are often keys. */
export function telemetrySecrets(env: Environment): readonly string[] {
  return HEADERS.flatMap((name) => secretVariable(env, name).split(",")).flatMap((pair) => {
    const value = pair.slice(pair.indexOf("=") + 1).trim();
    const decoded = decode(value);
    return [value, decoded, decoded.replace(/^\S+\s+/u, "")].filter((text) => text.length >= 8);
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Names that the standard calls insensitive to case. */
function lowerCase(env: Environment, names: readonly string[]): Environment {
  return { ...env, ...Object.fromEntries(names.map((name) => [name, env[name]?.trim().toLowerCase()])) };
}

function checkEndpoint(name: string, text: string): void {
  if (text === "") return;
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return;
  throw new TerminalError(
    "invalid_environment",
    `environment variable ${name} is not a valid URL: it must start with http:// or https://, for example http://localhost:4318`,
  );
}

function samplerOf(env: Environment): TelemetrySettings["sampler"] {
  const name = envChoice(env, "OTEL_TRACES_SAMPLER", SAMPLER_NAMES, "parentbased_always_on");
  const text = envText(env, "OTEL_TRACES_SAMPLER_ARG", "1");
  const ratio = Number(text);
  if (name.endsWith("traceidratio") && !(ratio >= 0 && ratio <= 1)) {
    throw new TerminalError(
      "invalid_environment",
      `environment variable OTEL_TRACES_SAMPLER_ARG is "${text}": it must be a number from 0 to 1`,
    );
  }
  return { name, ratio };
}

/** Includes headers from the file that `<name>_FILE` names. */
function exporterVariables(env: Environment): Readonly<Record<string, string>> {
  const plain = Object.entries(env).flatMap(([name, value]) =>
    /^OTEL_(?:EXPORTER_OTLP_|SERVICE_NAME$|RESOURCE_ATTRIBUTES$)/u.test(name) &&
    value !== undefined &&
    value !== ""
      ? [[name, value] as const]
      : [],
  );
  const headers = HEADERS.map((name) => [name, secretVariable(env, name)] as const);
  return Object.fromEntries([...plain, ...headers.filter(([, value]) => value !== "")]);
}
