import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Type } from "typebox";
import { parse } from "yaml";
import { builtInConfig } from "#shared/agent-config/built-in-config.ts";
import { PREFERRED_PROVIDERS } from "#shared/agent-config/found/find-keys.ts";
import { keyVariable } from "#shared/agent-config/provider-keys.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const DEPLOY = join(import.meta.dirname, "..");
const Container = Type.Object(
  {
    image: Type.Optional(Type.String()),
    user: Type.Optional(Type.String()),
    ports: Type.Optional(Type.Array(Type.String())),
    read_only: Type.Optional(Type.Boolean()),
    cap_drop: Type.Optional(Type.Array(Type.String())),
    security_opt: Type.Optional(Type.Array(Type.String())),
    privileged: Type.Optional(Type.Boolean()),
    network_mode: Type.Optional(Type.String()),
    restart: Type.Optional(Type.String()),
    mem_limit: Type.Optional(Type.String()),
    healthcheck: Type.Optional(Type.Object({}, { additionalProperties: true })),
    networks: Type.Optional(Type.Array(Type.String())),
    environment: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
  },
  { additionalProperties: true },
);
const parseCompose = compileParser(
  "compose file",
  Type.Object({ services: Type.Record(Type.String(), Container) }, { additionalProperties: true }),
);

/** They end before the services start. */
const ONCE = new Set(["database-init", "migrate"]);

async function compose(file: string) {
  const text = await readFile(join(DEPLOY, file), "utf8");
  return { text, services: parseCompose(parse(text, { merge: true })).services };
}

describe("the compose files", () => {
  it("publish only the port of the proxy, by default on this machine, and those of the monitoring on this machine", async () => {
    const monitoring = new Map([
      ["prometheus", ["127.0.0.1:${PROMETHEUS_PORT:-9090}:9090"]],
      ["alertmanager", ["127.0.0.1:${ALERTMANAGER_PORT:-9093}:9093"]],
    ]);
    for (const file of ["podman-compose.yml", "compose.cluster.yml", "compose.monitoring.yml"]) {
      for (const [name, { ports }] of Object.entries((await compose(file)).services)) {
        const expected =
          name === "proxy" ? ["${TARSY_ADDRESS:-127.0.0.1}:${TARSY_PORT:-8080}:8080"] : monitoring.get(name);
        expect(ports, `${file}: ${name}`).to.deep.equal(expected);
      }
    }
  });

  it("restrict every container: a user, a read-only root, no capabilities, no new privileges, a memory limit", async () => {
    const { services: base } = await compose("podman-compose.yml");
    const { services: more } = await compose("compose.cluster.yml");
    const added = Object.entries(more).filter(([name]) => !(name in base));
    expect(added.map(([name]) => name)).to.deep.equal(["nats-2", "nats-3"]);
    const { services: monitoring } = await compose("compose.monitoring.yml");
    for (const [name, container] of [...Object.entries(base), ...added, ...Object.entries(monitoring)]) {
      expect(container.user, name).to.match(/^[1-9]\d*:[1-9]\d*$/u);
      expect(container.read_only, name).to.equal(true);
      expect(container.cap_drop, name).to.deep.equal(["ALL"]);
      expect(container.security_opt, name).to.deep.equal(["no-new-privileges:true"]);
      expect(container.mem_limit, name).to.be.a("string");
      const isOnce = ONCE.has(name);
      expect(container.restart, name).to.equal(isOnce ? "no" : "unless-stopped");
      if (isOnce) expect(container.healthcheck, name).to.deep.equal({ disable: true });
      else expect(container.healthcheck, name).to.be.an("object").with.property("test");
      expect([container.privileged, container.network_mode], name).to.deep.equal([undefined, undefined]);
    }
  });

  it("connect only the proxy, the api and the notifier to the front network, and the gateway and the tool-runner to the outside, apart", async () => {
    const { services } = await compose("podman-compose.yml");
    const on = (network: string) =>
      Object.keys(services).filter((name) => services[name]?.networks?.includes(network) === true);
    expect(on("front")).to.have.members(["proxy", "api", "notifier"]);
    expect(on("out")).to.deep.equal(["llm-gateway"]);
    expect(on("tools")).to.deep.equal(["tool-runner"]);
    for (const name of ["llm-gateway", "tool-runner"]) expect(on("back")).to.include(name);
  });

  it("contain no password and no default for one", async () => {
    for (const file of ["podman-compose.yml", "compose.cluster.yml"]) {
      const { text } = await compose(file);
      const uses = [...text.matchAll(/\$\{[A-Z_]*(?:PASSWORD|GATEWAY_TOKEN)[^}]*\}/gu)].map(([use]) => use);
      expect(uses.filter((use) => !/^\$\{\w+(:\?[^}]+)?\}$/u.test(use))).to.deep.equal([]);
      // Each is required at least once in the file, so no use can be empty.
      for (const name of new Set(uses.map((use) => /\w+/u.exec(use)?.[0]))) {
        expect(text, `${file}: ${name}`).to.contain(`\${${name}:?`);
      }
      const urls = [...text.matchAll(/:\/\/[\w-]+:([^@\s]+)@/gu)].map(([, password]) => password ?? "");
      expect(urls.filter((password) => !password.startsWith("${"))).to.deep.equal([]);
    }
    const example = await readFile(join(DEPLOY, ".env.example"), "utf8");
    expect([...example.matchAll(/^\w*(?:PASSWORD|TOKEN)=.+$/gmu)]).to.deep.equal([]);
  });

  it("keep the providers' keys from every service but the gateway", async () => {
    const { services } = await compose("podman-compose.yml");
    for (const [name, { environment = {} }] of Object.entries(services)) {
      for (const [variable, value] of Object.entries(environment)) {
        if (!variable.endsWith("_API_KEY") || name === "llm-gateway") continue;
        expect(value, `${name}: ${variable}`).to.match(/^\$\{\w+:\+only-the-llm-gateway-has-it\}$/u);
      }
    }
  });

  it("pass the key of every provider, and let every service know which ones are set", async () => {
    const { services } = await compose("podman-compose.yml");
    const providers = builtInConfig().llmProviders;
    const keys = PREFERRED_PROVIDERS.flatMap((name) => keyVariable(providers.get(name) ?? {}) ?? []);
    expect(keys).to.have.length(8);
    for (const key of keys) {
      expect(services["llm-gateway"]?.environment?.[key], key).to.equal(`\${${key}:-}`);
      for (const name of ["api", "executor", "tool-runner", "notifier", "migrate"]) {
        expect(services[name]?.environment, `${name}: ${key}`).to.have.property(key);
      }
    }
  });

  it("give the credentials of MCP servers to the tool-runner alone", async () => {
    const { services } = await compose("podman-compose.yml");
    const having = Object.keys(services).filter((name) =>
      JSON.stringify(services[name]).includes("tool-runner.env"),
    );
    expect(having).to.deep.equal(["tool-runner"]);
    expect(services["tool-runner"]?.environment).to.include({ TMPDIR: "/tmp" });
  });

  it("give the address of the database and of the bus, and the gateway's token, only to services that need them", async () => {
    const { services } = await compose("podman-compose.yml");
    const has = (variable: string) =>
      Object.keys(services).filter((name) => variable in (services[name]?.environment ?? {}));
    const withServers = ["api", "executor", "tool-runner", "notifier"];
    expect(has("DATABASE_URL")).to.have.members([...withServers, "migrate"]);
    expect(has("NATS_URL")).to.have.members(withServers);
    expect(has("LLM_GATEWAY_TOKEN")).to.have.members(["executor", "llm-gateway"]);
    expect(has("LLM_GATEWAY_PREVIOUS_TOKEN")).to.deep.equal(["llm-gateway"]);
  });

  it("give each service its own role of the database, the owner to migrate and the superuser to database-init", async () => {
    const { services } = await compose("podman-compose.yml");
    const users = Object.entries(services).flatMap(([name, { environment = {} }]) =>
      Object.entries(environment)
        .filter(([variable]) => /^DATABASE_\w*URL$/u.test(variable))
        .map(([variable, value]) => [
          name,
          variable,
          /\/\/(\w+):\$\{(\w+)/u.exec(`${value}`)?.slice(1).join(" "),
        ]),
    );
    expect(users).to.deep.equal([
      ["database-init", "DATABASE_ADMIN_URL", "tarsy POSTGRES_PASSWORD"],
      ["migrate", "DATABASE_URL", "tarsy_owner POSTGRES_OWNER_PASSWORD"],
      ["api", "DATABASE_URL", "tarsy_api POSTGRES_API_PASSWORD"],
      ["executor", "DATABASE_URL", "tarsy_executor POSTGRES_EXECUTOR_PASSWORD"],
      ["tool-runner", "DATABASE_URL", "tarsy_tool_runner POSTGRES_TOOL_RUNNER_PASSWORD"],
      ["notifier", "DATABASE_URL", "tarsy_notifier POSTGRES_NOTIFIER_PASSWORD"],
    ]);
    const { "database-init": init, postgres, ...others } = services;
    expect([init, postgres]).not.to.include(undefined);
    expect(JSON.stringify(others)).not.to.contain("${POSTGRES_PASSWORD");
  });

  it("pin every image to a version, in one place", async () => {
    const { text } = await compose("podman-compose.yml");
    const images = [...text.matchAll(/docker\.io\/library\/([a-z]+):(\S+)/gu)];
    expect(images.map(([, name]) => name)).to.have.members(["node", "postgres", "nats", "haproxy"]);
    const { text: monitoring } = await compose("compose.monitoring.yml");
    const further = [...monitoring.matchAll(/docker\.io\/prom\/([a-z]+):v(\S+)/gu)];
    expect(further.map(([, name]) => name)).to.deep.equal(["prometheus", "alertmanager"]);
    for (const [image, , tag] of [...images, ...further]) expect(tag, image).to.match(/^\d+\.\d+/u);
    for (const file of ["Containerfile", "nats/Containerfile", "compose.cluster.yml"]) {
      expect(await readFile(join(DEPLOY, file), "utf8"), file).not.to.contain("docker.io");
    }
  });
});
