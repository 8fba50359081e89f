import { dashboardOrigin } from "#shared/agent-config/dashboard-origin.ts";
import { parseInstant } from "#shared/contracts/parse-instant.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { SystemSection } from "#shared/agent-config/schemas/system-section.ts";
import { BUILT_IN_SETTINGS } from "#shared/agent-config/built-in-config.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { QueueSection } from "#shared/agent-config/schemas/tarsy-file.ts";
import { compileMatcher } from "#shared/agent-config/label-matcher.ts";
import type { SourceEntry, Webhooks } from "#shared/agent-config/schemas/webhooks.ts";
import { withPreset } from "#shared/agent-config/source-presets.ts";
import { type CheckContext, checkUrl } from "#shared/agent-config/checks/check-context.ts";
import { runbookHosts } from "#shared/agent-config/runbook-hosts.ts";
import { parseRunbookRepository } from "#shared/runbooks/runbook-repository.ts";
import { runbookAddress, runbookAddresses } from "#shared/runbooks/runbook-address.ts";
import { embeddingOf } from "#shared/agent-config/embedding-of.ts";
import type { MemorySection } from "#shared/agent-config/schemas/memory-section.ts";
import { secretVariable } from "#shared/service/environment.ts";

/** Keys that variables of the services, or their own ways, replace. */
const REPLACED = {
  allowed_ws_origins: "ALLOWED_ORIGINS, and for WebSockets alone WS_ALLOWED_ORIGINS, replace it",
} as const;
const REPLACED_RETENTION = {
  event_ttl: "the api's PURGE_EVENTS_AFTER_DAYS replaces it",
  cleanup_interval: "the api's sweeper looks for expired sessions by itself",
} as const;

/** Checks the days of `system.holidays`, and warns of the keys that are valid and never have an effect. */
export function checkSystem(system: Loose<SystemSection>, reporter: Reporter): void {
  warn(system, REPLACED, reporter);
  const { dashboard_url } = system;
  if (typeof dashboard_url === "string" && dashboardOrigin({ dashboard_url }) === undefined) {
    const where = { container: system, key: "dashboard_url" };
    reporter.warn(
      where,
      "is not a web address, so it has no effect",
      "give one such as https://tarsy.example.com",
    );
  }
  for (const holiday of system.holidays ?? []) {
    if (holiday?.date === undefined || isDay(holiday.date)) continue;
    const where = { container: holiday, key: "date" };
    reporter.error(where, "must be a day of the calendar", "write it like 12-25, or 2026-12-25 for one year");
  }
  if (system.retention !== undefined) warn(system.retention, REPLACED_RETENTION, reporter);
}

/** The 29th of February is a day of every year. */
function isDay(text: string): boolean {
  return parseInstant(`${/^\d{2}-/u.test(text) ? `2024-${text}` : text}T00:00:00Z`) !== undefined;
}

function warn(container: object, replaced: Readonly<Record<string, string>>, reporter: Reporter): void {
  for (const [key, replacement] of Object.entries(replaced)) {
    if (!Object.hasOwn(container, key)) continue;
    reporter.warn({ container, key }, "is valid but has no effect", replacement);
  }
}

/** Keys for a queue that polls the database, and their replacements here. */
const REPLACED_IN_QUEUE = {
  poll_interval:
    "an executor with a free slot keeps one pull open on the SESSIONS stream and is woken immediately",
  poll_interval_jitter: "an executor with a free slot keeps one pull open on the SESSIONS stream",
  heartbeat_interval: "the session lease replaces it, renewed every 5s",
  orphan_detection_interval: "an expired session lease and the sweeper replace it",
  orphan_threshold: "the session lease of 20s replaces it",
  scoring_shutdown_timeout: "a scoring that a stop interrupts goes on in another executor",
  graceful_shutdown_timeout: "the executor's stop grace of 10s replaces it, and no step is lost",
} as const;

/** Checks the queue settings against each other and warns of those without effect. */
export function checkQueue(queue: Loose<QueueSection>, reporter: Reporter): void {
  checkBelow(queue, "poll_interval_jitter", "poll_interval", reporter);
  checkBelow(queue, "heartbeat_interval", "orphan_threshold", reporter);
  for (const [key, replacement] of Object.entries(REPLACED_IN_QUEUE)) {
    if (!Object.hasOwn(queue, key)) continue;
    reporter.warn({ container: queue, key }, "is valid but has no effect", replacement);
  }
}

type DurationKey = keyof typeof REPLACED_IN_QUEUE & keyof typeof BUILT_IN_SETTINGS.queue;

/** A missing key, and one of zero, counts with its default, so that setting one of a pair alone can break the rule. */
function checkBelow(
  queue: Loose<QueueSection>,
  lower: DurationKey,
  upper: DurationKey,
  reporter: Reporter,
): void {
  const written = (key: DurationKey) => (parseDuration(queue[key] ?? "0") === 0 ? undefined : queue[key]);
  const broken = (key: DurationKey) => queue[key] === undefined && reporter.sources.hasChild(queue, key);
  if (broken(lower) || broken(upper)) return;
  const low = parseDuration(written(lower) ?? BUILT_IN_SETTINGS.queue[lower]);
  const high = parseDuration(written(upper) ?? BUILT_IN_SETTINGS.queue[upper]);
  if (low === undefined || high === undefined || low < high) return;
  const withValue = (key: DurationKey) =>
    `${key} (${written(key) ?? `by default ${BUILT_IN_SETTINGS.queue[key]}`})`;
  if (written(lower) === undefined) {
    const rule = `must be longer than ${withValue(lower)}`;
    reporter.error({ container: queue, key: upper }, rule, `set ${lower} too`);
  } else {
    reporter.error({ container: queue, key: lower }, `must be shorter than ${withValue(upper)}`);
  }
}

/** Reports alert types of webhooks that no chain handles, and matchers that are none. */
export function checkWebhooks(
  webhooks: Loose<Webhooks>,
  alertTypes: Iterable<string>,
  reporter: Reporter,
): void {
  const known = [...alertTypes];
  const { sources = [], ...named } = webhooks;
  checkSources(sources, named, reporter);
  for (const source of [...Object.values(named), ...sources]) {
    if (source === undefined) continue;
    reporter.unknownName({ container: source, key: "alert_type" }, "alert type", source.alert_type, known);
    for (const rule of source.alert_types ?? []) {
      if (rule === undefined) continue;
      reporter.unknownName({ container: rule, key: "alert_type" }, "alert type", rule.alert_type, known);
    }
    for (const rule of [...(source.alert_types ?? []), ...(source.priorities ?? [])]) {
      checkMatchers(rule?.match, reporter);
    }
  }
}

function checkMatchers(match: readonly (string | undefined)[] = [], reporter: Reporter): void {
  match.forEach((text, index) => {
    const compiled = text === undefined ? undefined : compileMatcher(text);
    if (typeof compiled === "string") reporter.error({ container: match, key: index }, compiled);
  });
}

/** What a source of each kind cannot do without. */
const NEEDED = { token: ["secret_env"], hmac: ["secret_env", "header"], sns: ["topics"] } as const;

/** Reports sources that lack what neither they nor their preset say, and names that are taken. */
function checkSources(
  sources: readonly (Loose<SourceEntry> | undefined)[],
  named: object,
  reporter: Reporter,
): void {
  const taken = new Set([...Object.keys(named), "alertmanager", "raw"]);
  for (const entry of sources) {
    if (entry === undefined) continue;
    const { name, verify, format, incident } = withPreset(entry);
    if (name === undefined) reporter.error({ container: entry, key: "name" }, "is required without a preset");
    else if (taken.has(name)) {
      reporter.error(
        { container: entry, key: "name" },
        "must differ from other sources",
        `'${name}' is taken`,
      );
    } else taken.add(name);
    const where = { container: entry, key: "verify" };
    const { type, signed, timestamp_header } = verify;
    if (type === undefined) reporter.error(where, "needs a type: token, hmac or sns");
    for (const key of type === undefined ? [] : NEEDED[type]) {
      if (verify[key] === undefined) reporter.error(where, `of the type ${type} needs ${key}`);
    }
    if (signed !== undefined && signed.includes("{timestamp}") !== (timestamp_header !== undefined)) {
      reporter.error(where, "must have {timestamp} in signed if it has timestamp_header, and only then");
    }
    if (format !== "alertmanager" && incident === undefined) {
      reporter.error({ container: entry, key: "incident" }, "is required without a preset");
    }
    checkMatchers(entry.start_when, reporter);
  }
}

/**
 * Checks `system.runbooks` and, where runbooks are fetched, that the addresses which chains and the defaults give as their runbook
 * may be.
 */
export function checkRunbooks({
  tarsy,
  chains,
  reporter,
}: Pick<CheckContext, "tarsy" | "chains" | "reporter">): void {
  const section = tarsy.system?.runbooks;
  if (section === undefined) return;
  const { allowed_domains: domains, repo_url: repoUrl } = section;
  const hosts = runbookHosts(
    domains === undefined ? {} : { allowed_domains: domains.filter((domain) => typeof domain === "string") },
  );
  for (const entry of [tarsy.defaults, ...chains.values()]) {
    if (typeof entry?.runbook !== "string") continue;
    const [address] = runbookAddresses(null, entry.runbook);
    const checked = address === undefined ? undefined : runbookAddress(address, hosts);
    if (checked !== undefined && "problem" in checked) {
      reporter.error(
        { container: entry, key: "runbook" },
        "must be a text or an address that may be fetched",
        checked.problem,
      );
    }
  }
  if (typeof repoUrl !== "string") return;
  const where = { container: section, key: "repo_url" };
  const repository = parseRunbookRepository(repoUrl);
  if (typeof repository === "string") reporter.error(where, repository);
  else if (!hosts.includes(repository.host)) {
    reporter.error(
      where,
      "must be on a host that runbooks may be fetched from",
      `allowed: ${hosts.join(", ")}`,
    );
  }
}

/** Checks `defaults.memory`. A key that is missing is no error: memories are then found by their words. */
export function checkMemory(memory: Loose<MemorySection>, { reporter, env }: CheckContext): void {
  const { embedding, enabled } = memory;
  if (embedding === undefined) return;
  checkUrl(embedding, "base_url", embedding.base_url, reporter);
  const target = { container: memory, key: "embedding" };
  if (enabled !== true) {
    reporter.warn(target, "has no effect without enabled: true");
    return;
  }
  const isBroken = reporter.sources.hasChild(embedding, "api_key_env") && embedding.api_key_env === undefined;
  const { api_key_env: variable } = embeddingOf({ ...embedding });
  if (variable === undefined || isBroken || secretVariable(env, variable) !== "") return;
  reporter.warn(
    embedding.api_key_env === undefined ? target : { container: embedding, key: "api_key_env" },
    `needs ${variable} to be set`,
    `until the LLM gateway has it, memories are found by their words alone`,
  );
}
