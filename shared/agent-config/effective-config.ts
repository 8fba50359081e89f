import type { AgentConfig, Origin } from "#shared/agent-config/agent-config.ts";
import { maskText } from "#shared/masking/mask-text.ts";
import { joinPath } from "#shared/agent-config/source-map.ts";

const REDACTED = "[redacted]";

/** The effective configuration with the keys of the files, durations as text, secrets redacted. */
export function effectiveConfig(config: AgentConfig): unknown {
  const effective = {
    queue: withDurations(config.queue),
    system: config.system,
    defaults: withDurations(config.defaults),
    mcp_servers: Object.fromEntries(config.mcpServers),
    agents: Object.fromEntries(config.agents),
    agent_chains: Object.fromEntries(config.chains),
    llm_providers: Object.fromEntries(config.llmProviders),
  };
  return redactSecrets(effective, config.origins);
}

/** True if a variable of this name probably holds a secret. */
export function looksSecret(variable: string): boolean {
  return /key|token|secret|pass|pwd|cred|auth|private|cookie|dsn|database_url/iu.test(variable);
}

/** Milliseconds become a duration in seconds. */
function withDurations(settings: object): Record<string, unknown> {
  const entries = Object.entries(settings).map(([key, value]): [string, unknown] =>
    key.endsWith("_ms") ? [key.slice(0, -"_ms".length), `${Number(value) / 1000}s`] : [key, value],
  );
  return Object.fromEntries(entries);
}

/**
 * Replaces bearer tokens, credentials and queries in URLs, arguments that look like a credential, and text with an inserted
 * variable whose name looks secret. Texts that name their variables show the names.
 */
function redactSecrets(value: unknown, origins: ReadonlyMap<string, Origin>, path = ""): unknown {
  if (Array.isArray(value)) {
    const inner = value.map((item: unknown, index) => redactSecrets(item, origins, joinPath(path, index)));
    return path.endsWith(".args") ? redactArguments(inner) : inner;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
      key,
      isSecretKey(path, key) ? redacted(inner) : redactSecrets(inner, origins, joinPath(path, key)),
    ]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== "string") return value;
  const inserted = origins.get(path)?.variables.filter(looksSecret) ?? [];
  if (!inserted.every((name) => value.includes(`{{.${name}}}`))) return REDACTED;
  return (isTransport(path) ? withoutTokens(value) : value)
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/giu, `$1${REDACTED}@`)
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#]*)[?#][^\s"'<>)]*/giu, `$1?${REDACTED}`);
}

function isTransport(path: string): boolean {
  return /^mcp_servers\b[^]*\.(?:transport|auth)\./u.test(path);
}

/** A word that says what it is, such as `sk-…`. */
const NAMED_TOKEN = /^(?:[srp]k|tok(?:en)?|pat|key|secret|bearer|api[-_]?key)[-_](?=\S*\d)\S{8,}$/iu;
/** Hexadecimal digits or a UUID that are no digest of an image. */
const HEX_TOKEN = /(?<![\w:@-])(?:[0-9a-f]{32,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w-])/giu;
const RULES = { patterns: new Set<never>(), custom: [], known: [] };

/** Text that looks like a token in how a server is reached, whichever key it was written to. */
function withoutTokens(text: string): string {
  if (NAMED_TOKEN.test(text)) return REDACTED;
  const masked = maskText(text, { rules: RULES }).text;
  return masked.replaceAll(/\[MASKED_[A-Z0-9_]+\]/gu, REDACTED).replaceAll(HEX_TOKEN, REDACTED);
}

/** Keys whose values are secrets of every origin, and maps of such values. */
function isSecretKey(path: string, key: string): boolean {
  return (
    key === "bearer_token" || key === "client_secret" || /\.transport\.(?:env|custom_headers)$/u.test(path)
  );
}

/** A text that only names variables is no secret. */
function redacted(value: unknown): unknown {
  return typeof value === "string" && /^(?:Bearer )?\{\{\.\w+\}\}$/u.test(value) ? value : REDACTED;
}

/** `--token=x`, `TOKEN=x`, and the argument after `--token`. */
function redactArguments(args: readonly unknown[]): unknown[] {
  return args.map((argument, index) => {
    if (typeof argument !== "string") return argument;
    const before = args[index - 1];
    if (typeof before === "string" && /^--?[\w-]+$/u.test(before) && looksSecret(before)) return REDACTED;
    const [name = "", ...rest] = argument.split(/[=:]/u);
    return rest.length > 0 && !name.includes("/") && looksSecret(name) ? `${name}=${REDACTED}` : argument;
  });
}
