import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { compileMatcher, type Labels } from "#shared/agent-config/label-matcher.ts";
import type { Grouping } from "#shared/agent-config/schemas/grouping.ts";
import type { WebhookSource } from "#shared/agent-config/schemas/webhooks.ts";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Environment } from "#shared/service/environment.ts";
import { groupRule, type GroupRule } from "../incidents/group-rule.ts";

/** A source of alerts that is switched on. */
interface Webhook {
  /** What the sender must know; undefined where the api's own credentials are asked for. */
  readonly secret: string | undefined;
  /** The alert type by the labels of the alerts; undefined for the default. */
  readonly alertTypeOf: (alerts: readonly Labels[]) => string | undefined;
  /** Which of its alerts are one incident; undefined if the chains say so. */
  readonly rule: GroupRule | undefined;
  /** The highest priority of the alerts by their labels; undefined where no rule says one. */
  readonly priorityOf: (alerts: readonly Labels[]) => SessionLane | undefined;
}

export interface WebhookSettings {
  readonly alertmanager?: Webhook & { readonly split: boolean };
  readonly pagerduty?: Webhook & { readonly secret: string };
  readonly raw?: Webhook;
}

const MIN_SECRET_CHARACTERS = 16;

/** Reads `system.webhooks` with the secrets it names. Throws TerminalError naming a variable that is not set or too short. */
export function readWebhooks({ system }: AgentConfig, env: Environment): WebhookSettings {
  const { alertmanager, pagerduty, raw } = system.webhooks ?? {};
  const secretOf = (variable: string | undefined) =>
    variable === undefined ? undefined : readSecret(variable, env);
  return {
    ...(alertmanager === undefined
      ? {}
      : {
          alertmanager: {
            secret: secretOf(alertmanager.token_env),
            split: alertmanager.split ?? false,
            ...mappings(alertmanager),
            rule: ruleOf(alertmanager),
          },
        }),
    ...(pagerduty === undefined
      ? {}
      : {
          pagerduty: {
            secret: readSecret(pagerduty.secret_env, env),
            ...mappings(pagerduty),
            rule: ruleOf(pagerduty),
          },
        }),
    ...(raw === undefined
      ? {}
      : { raw: { secret: secretOf(raw.token_env), ...mappings(raw), rule: ruleOf(raw) } }),
  };
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

function ruleOf({ grouping }: { readonly grouping?: Partial<Grouping> }): GroupRule | undefined {
  return grouping === undefined ? undefined : groupRule(grouping);
}

function mappings(source: WebhookSource): Pick<Webhook, "alertTypeOf" | "priorityOf"> {
  return { alertTypeOf: alertTypes(source), priorityOf: priorities(source) };
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
