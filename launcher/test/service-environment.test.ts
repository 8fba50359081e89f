import { expect } from "chai";
import { busEnvironment, planServices, programsEnvironment } from "../supervisor/plan-services.ts";

const ENV = {
  PATH: "/bin",
  CONFIG_DIR: "/config",
  MY_TOKEN: "for a template",
  DATABASE_URL: "postgres://me:pw@host/db",
  DATABASE_URL_FILE: "",
  NATS_URL_FILE: "/run/secrets/nats",
  APPROVAL_TOKEN: "token-of-people-0123456789abcdef",
  LLM_GATEWAY_TOKEN: "token-0123456789abcdef",
  LLM_GATEWAY_PREVIOUS_TOKEN: "previous-0123456789",
  GOOGLE_API_KEY: "google-key",
  XAI_API_KEY_FILE: "/run/secrets/xai",
};
const KEYS = ["GOOGLE_API_KEY", "XAI_API_KEY", "OPENAI_API_KEY"];
const SECRETS = /postgres:|nats:|token-|previous-|google-key|\/run\/secrets/u;

/** For each service, the variables with a secret in their values. */
function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => SECRETS.test(env[name] ?? ""))
    .toSorted();
}

describe("the planned environment of a service", () => {
  const plans = planServices({
    entryOf: (service) => `/services/${service}/main.ts`,
    compileCacheDir: "/cache",
    executors: 2,
    ports: new Map([["LLM_GATEWAY_PORT", 50_051]]),
    extraHealthPorts: [1],
    host: "127.0.0.1",
    env: ENV,
    serviceEnv: (service) => busEnvironment(service, (user) => `nats://${user}:pw@host:4222`),
    providerKeys: KEYS,
  });

  it("holds only the secrets that the service needs", () => {
    const servers = ["DATABASE_URL", "NATS_URL", "NATS_URL_FILE"];
    const executor = ["DATABASE_URL", "LLM_GATEWAY_TOKEN", "NATS_URL", "NATS_URL_FILE"];
    expect(Object.fromEntries(plans.map(({ name, env }) => [name, secretsOf(env)]))).to.deep.equal({
      api: ["APPROVAL_TOKEN", "DATABASE_URL", "NATS_ADMIN_URL", "NATS_URL", "NATS_URL_FILE"],
      notifier: servers,
      "tool-runner": servers,
      executor,
      "executor-2": executor,
      "llm-gateway": [
        "GOOGLE_API_KEY",
        "LLM_GATEWAY_PREVIOUS_TOKEN",
        "LLM_GATEWAY_TOKEN",
        "XAI_API_KEY_FILE",
      ],
    });
  });

  it("has neither the database nor the bus for the llm-gateway", () => {
    const gateway = plans.find(({ name }) => name === "llm-gateway");
    for (const name of ["DATABASE_URL", "DATABASE_URL_FILE", "NATS_URL", "NATS_URL_FILE", "NATS_ADMIN_URL"]) {
      expect(gateway?.env[name], name).to.equal(undefined);
    }
  });

  it("tells every other service which keys exist, also where it reads a file of variables itself", () => {
    for (const { name, env } of plans) {
      expect(env, name).to.include({ CONFIG_DIR: "/config", MY_TOKEN: "for a template" });
      if (name === "llm-gateway") continue;
      expect(env, name).to.include({
        GOOGLE_API_KEY: "only-the-llm-gateway-has-it",
        XAI_API_KEY: "only-the-llm-gateway-has-it",
        XAI_API_KEY_FILE: "",
        OPENAI_API_KEY: "",
      });
    }
  });

  it("lets the tool-runner alone find the programs of the npm packages and the packs", () => {
    const launch = { root: "/tarsy", env: ENV };
    expect(programsEnvironment("tool-runner", launch)).to.deep.equal({
      PATH: "/tarsy/node_modules/.bin:/tarsy/.tarsy/packs/bin:/bin",
    });
    expect(programsEnvironment("executor", launch)).to.deep.equal({});
  });
});
