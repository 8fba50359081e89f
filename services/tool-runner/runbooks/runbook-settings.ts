import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { runbookHosts } from "#shared/agent-config/runbook-hosts.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import { rulesOfAlerts, type MaskingRules } from "#shared/masking/masking-rules.ts";
import { parseRunbookRepository, type RunbookRepository } from "#shared/runbooks/runbook-repository.ts";
import { type Environment, secretVariable } from "#shared/service/environment.ts";

/** The settings for fetching runbooks. */
export interface RunbookSettings {
  /** Written in small letters, with the port where it is not 443. */
  readonly allowedHosts: readonly string[];
  /** Whose runbooks are listed; absent if none are. */
  readonly repository?: RunbookRepository;
  /** The time for which a list of them is used, in milliseconds. */
  readonly cacheMs: number;
  /** The token for GitHub; empty if there is none. */
  readonly githubToken: string;
  /** A runbook is masked as the alert that names it. */
  readonly maskingRules: MaskingRules;
}

const DEFAULT_CACHE_MS = 60_000;

/** The settings of `system.runbooks` and `system.github`; undefined without the first. */
export function runbookSettings(config: AgentConfig, env: Environment): RunbookSettings | undefined {
  const { runbooks, github } = config.system;
  if (runbooks === undefined) return undefined;
  const repository = runbooks.repo_url === undefined ? "" : parseRunbookRepository(runbooks.repo_url);
  return {
    allowedHosts: runbookHosts(runbooks),
    ...(typeof repository === "string" ? {} : { repository }),
    cacheMs: parseDuration(runbooks.cache_ttl ?? "") ?? DEFAULT_CACHE_MS,
    githubToken: secretVariable(env, github?.token_env ?? "GITHUB_TOKEN"),
    maskingRules: rulesOfAlerts(config.defaults.alert_masking),
  };
}
