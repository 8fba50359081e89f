import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { compileMatcher, type Labels } from "#shared/agent-config/label-matcher.ts";
import type { Grouping } from "#shared/agent-config/schemas/grouping.ts";
import type { SourceEntry, WebhookSource } from "#shared/agent-config/schemas/webhooks.ts";
import { withPreset } from "#shared/agent-config/source-presets.ts";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Environment } from "#shared/service/environment.ts";
import { parsePointer, type JsonPointer } from "../alerts/json-pointer.ts";
import { groupRule, type GroupRule } from "../incidents/group-rule.ts";

/** How a source proves that a request is its own. */
export type Verification =
  /** In a header, as a bearer token, or as the password of basic authentication. */
  | { readonly type: "token"; readonly header: string | undefined; readonly secret: string }
  | HmacVerification
  /** The ARNs of its topics at Amazon SNS. */
  | { readonly type: "sns"; readonly topics: readonly string[] };

export interface HmacVerification {
  readonly type: "hmac";
  readonly secret: string;
  readonly header: string;
  readonly prefix: string;
  readonly encoding: "hex" | "base64";
  readonly timestampHeader: string | undefined;
  /** What is signed, with {timestamp} and {body}. */
  readonly signed: string;
}

/** A source of alerts that is switched on. */
export interface Webhook {
  readonly name: string;
  /** Undefined where the api's own credentials are asked for. */
  readonly verification: Verification | undefined;
  /** The form of its bodies. */
  readonly format: "text" | "json" | "alertmanager";
  /** The array of which each entry is an alert; undefined if a body is one. */
  readonly split: JsonPointer | undefined;
  /** Of format `json`: the first that is there is the id of the incident. */
  readonly incident: readonly JsonPointer[];
  /** What tells apart how often an incident began; empty where it begins once. */
  readonly event: readonly JsonPointer[];
  readonly isOver: (value: (pointer: JsonPointer) => string | undefined) => boolean;
  readonly starts: (labels: Labels) => boolean;
  readonly labels: readonly (readonly [name: string, value: string | readonly JsonPointer[]])[];
  readonly tags: JsonPointer | undefined;
  /** The alert type by the labels of the alerts; undefined for the default. */
  readonly alertTypeOf: (alerts: readonly Labels[]) => string | undefined;
  /** Which of its alerts are one incident; undefined if the chains say so. */
  readonly rule: GroupRule | undefined;
  /** The highest priority of the alerts by their labels; undefined where no rule says one. */
  readonly priorityOf: (alerts: readonly Labels[]) => SessionLane | undefined;
}

/** The sources by name. */
export type WebhookSettings = ReadonlyMap<string, Webhook>;

const MIN_SECRET_CHARACTERS = 16;

/** Reads `system.webhooks` with the secrets it names. Throws TerminalError naming a variable that is not set or too short. */
export function readWebhooks({ system }: AgentConfig, env: Environment): WebhookSettings {
  const { alertmanager, pagerduty, raw, sources = [] } = system.webhooks ?? {};
  const all: Webhook[] = sources.map((entry) => sourceOf(entry, env));
  if (alertmanager !== undefined) {
    const { token_env, split = false, ...entry } = alertmanager;
    const where = { format: "alertmanager", ...(split ? { split: "/alerts" } : {}) } as const;
    all.push(sourceOf({ name: "alertmanager", ...where, ...ownToken(token_env), ...entry }, env));
  }
  if (pagerduty !== undefined) {
    const { secret_env, ...entry } = pagerduty;
    all.push(sourceOf({ preset: "pagerduty", verify: { secret_env }, ...entry }, env));
  }
  if (raw !== undefined) {
    const { token_env, ...entry } = raw;
    all.push({ ...sourceOf({ name: "raw", ...ownToken(token_env), ...entry }, env), format: "text" });
  }
  return new Map(all.map((webhook) => [webhook.name, webhook]));
}

function ownToken(secret_env: string | undefined): Pick<SourceEntry, "verify"> {
  return secret_env === undefined ? {} : { verify: { type: "token", secret_env } };
}

function sourceOf(entry: SourceEntry, env: Environment): Webhook {
  const { resolved, labels, tags, incident, event, split, grouping, ...source } = withPreset(entry);
  const over = pointerOf(resolved?.pointer);
  return {
    name: source.name ?? "",
    verification: verificationOf(source.verify, env),
    format: source.format ?? "json",
    split: pointerOf(split),
    incident: pointersOf(incident),
    event: pointersOf(event),
    isOver: (value) => over !== undefined && (resolved?.in.includes(value(over) ?? "") ?? false),
    starts: fitsAll(source.start_when ?? []),
    labels: Object.entries(labels).map(([name, text]) => [
      name,
      text.startsWith("/") ? pointersOf(text) : text,
    ]),
    tags: pointerOf(tags),
    alertTypeOf: alertTypes(source),
    priorityOf: priorities(source),
    rule: ruleOf(grouping),
  };
}

function verificationOf(
  verify: NonNullable<SourceEntry["verify"]>,
  env: Environment,
): Webhook["verification"] {
  const { type, secret_env = "", header, timestamp_header: timestampHeader, topics = [] } = verify;
  if (type === undefined) return undefined;
  if (type === "sns") return { type, topics };
  const secret = readSecret(secret_env, env);
  if (type === "token") return { type, secret, header };
  const { prefix = "", encoding = "hex" } = verify;
  const { signed = timestampHeader === undefined ? "{body}" : "{timestamp}:{body}" } = verify;
  return { type, secret, header: header ?? "", prefix, encoding, timestampHeader, signed };
}

function readSecret(variable: string, env: Environment): string {
  const value = env[variable] ?? "";
  if (value.length >= MIN_SECRET_CHARACTERS) return value;
  const why = value === "" ? "is not set" : `is shorter than ${MIN_SECRET_CHARACTERS} characters`;
  throw new TerminalError(
    "invalid_environment",
    `environment variable ${variable} ${why}: system.webhooks in tarsy.yaml names it as the secret of a webhook`,
  );
}

function pointerOf(text: string | undefined): JsonPointer | undefined {
  return text === undefined ? undefined : parsePointer(text);
}

function pointersOf(text = ""): readonly JsonPointer[] {
  return text.split(/ +/u).flatMap((one) => {
    const pointer = parsePointer(one);
    return pointer === undefined ? [] : [pointer];
  });
}

function ruleOf(grouping: Partial<Grouping> | undefined): GroupRule | undefined {
  return grouping === undefined ? undefined : groupRule(grouping);
}

/** The first rule that an alert fulfils decides. */
function alertTypes({ alert_type, alert_types = [] }: WebhookSource): Webhook["alertTypeOf"] {
  const rules = alert_types.map(({ match, alert_type: type }) => ({ type, fits: fitsAll(match) }));
  return (alerts) => rules.find(({ fits }) => alerts.some(fits))?.type ?? alert_type;
}

/** Of each alert the first rule that it fulfils decides; a group is as urgent as its most urgent alert. */
function priorities({ priority, priorities: written = [] }: WebhookSource): Webhook["priorityOf"] {
  const rules = written.map(({ match, priority: lane }) => ({ lane, fits: fitsAll(match) }));
  return (alerts) => {
    const found = new Set(alerts.map((labels) => rules.find(({ fits }) => fits(labels))?.lane ?? priority));
    return SESSION_LANES.find((lane) => found.has(lane));
  };
}

function fitsAll(match: readonly string[]): (labels: Labels) => boolean {
  const matchers = match.map((text) => compileMatcher(text));
  return (labels) => matchers.every((matches) => typeof matches !== "string" && matches(labels));
}
