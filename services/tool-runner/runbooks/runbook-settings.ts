import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { runbookHosts } from "#shared/agent-config/runbook-hosts.ts";
import { rulesOfAlerts, type MaskingRules } from "#shared/masking/masking-rules.ts";
import type { Environment } from "#shared/service/environment.ts";
import { secretVariable } from "#shared/service/secret-variable.ts";

/** How runbooks are fetched. */
export interface RunbookSettings {
  /** In small letters, with the port where it is not 443. */
  readonly allowedHosts: readonly string[];
  /** For GitHub; empty if there is none. */
  readonly githubToken: string;
  /** A runbook is masked as the alert that names it. */
  readonly maskingRules: MaskingRules;
}

/** The settings of `system.runbooks` and `system.github`; undefined without the first. */
export function runbookSettings(config: AgentConfig, env: Environment): RunbookSettings | undefined {
  const allowedHosts = runbookHosts(config);
  if (allowedHosts === undefined) return undefined;
  return {
    allowedHosts,
    githubToken: secretVariable(env, config.system.github?.token_env ?? "GITHUB_TOKEN"),
    maskingRules: rulesOfAlerts(config.defaults.alert_masking),
  };
}
