import type { Environment } from "#shared/service/environment.ts";

/** Variables that only these services need. Each may also be given as a file by `<name>_FILE`. */
const NEEDED_BY: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: ["api", "executor", "tool-runner", "notifier"],
  DATABASE_DIRECT_URL: ["migrate"],
  DATABASE_READ_URL: ["api"],
  NATS_URL: ["api", "executor", "tool-runner", "notifier"],
  NATS_ADMIN_URL: ["api"],
  AUTH_TOKEN: ["api", "notifier"],
  APPROVAL_TOKEN: ["api"],
  SLACK_APP_TOKEN: ["api"],
  SLACK_BOT_TOKEN: ["api"],
  AUTH_PROXY_SECRET: ["api", "notifier"],
  AUTH_OIDC_CLIENT_SECRET: ["api"],
  LLM_GATEWAY_TOKEN: ["executor", "llm-gateway"],
  LLM_GATEWAY_PREVIOUS_TOKEN: ["llm-gateway"],
};

/** Every service checks which providers have a key; only the gateway uses it. */
const NO_KEY = "only-the-llm-gateway-has-it";

/**
 * The part of `env` that a service needs. Of the variables in `providerKeys`, which hold the credentials of LLM providers,
 * services other than the gateway only learn whether they are set.
 */
export function serviceEnvironment(
  service: string,
  env: Environment,
  providerKeys: readonly string[],
): Environment {
  const others = new Set(
    Object.entries(NEEDED_BY).flatMap(([name, services]) =>
      services.includes(service) ? [] : [name, `${name}_FILE`],
    ),
  );
  const needed = Object.fromEntries(Object.entries(env).filter(([name]) => !others.has(name)));
  if (service === "llm-gateway") return needed;
  const placeholders: Record<string, string> = {};
  for (const name of providerKeys) {
    const isSet = [name, `${name}_FILE`].some((key) => (env[key] ?? "") !== "");
    // These override what the service reads from `.env` itself.
    placeholders[name] = isSet ? NO_KEY : "";
    placeholders[`${name}_FILE`] = "";
  }
  return { ...needed, ...placeholders };
}
