import { expect } from "chai";
import { envChoice, envInteger, envPort, envRequired, envText, envUrl } from "#shared/service/environment.ts";
import { bindAddress, databaseUrl, natsUrl, readServiceConfig } from "#shared/service/service-config.ts";

describe("the environment", () => {
  it("takes the default for a variable that is unset or empty", () => {
    expect(envText({}, "A", "x")).to.equal("x");
    expect(envText({ A: "" }, "A", "x")).to.equal("x");
    expect(envText({ A: " y " }, "A", "x")).to.equal(" y ");
    expect(envInteger({ A: "" }, "A", { fallback: 5, min: 1, max: 9 })).to.equal(5);
    expect(bindAddress({})).to.equal("127.0.0.1");
  });

  it("names a required variable that is missing, with the remedy", () => {
    for (const env of [{}, { A: "" }]) {
      expect(() => envRequired(env, "A", "set it"))
        .to.throw("environment variable A is not set: set it")
        .with.property("code", "invalid_environment");
    }
  });

  it("takes whole numbers within their bounds and nothing else", () => {
    const limits = { fallback: 5, min: -1, max: 10 };
    expect(envInteger({ A: "-1" }, "A", limits)).to.equal(-1);
    expect(envInteger({ A: "010" }, "A", limits)).to.equal(10);
    for (const value of ["11", "-2", "1.5", "1e1", "0x5", " 5", "five", "9".repeat(400)]) {
      expect(() => envInteger({ A: value }, "A", limits), value).to.throw(
        `environment variable A is "${value}": it must be a whole number from -1 to 10`,
      );
    }
  });

  it("takes a port from 0 to 65535", () => {
    expect(envPort({ P: "0" }, "P", 1)).to.equal(0);
    expect(envPort({ P: "65535" }, "P", 1)).to.equal(65_535);
    expect(() => envPort({ P: "65536" }, "P", 1)).to.throw("from 0 to 65535");
  });

  it("takes one of the listed words", () => {
    expect(envChoice({ A: "b" }, "A", ["a", "b"], "a")).to.equal("b");
    expect(() => envChoice({ A: "B" }, "A", ["a", "b"], "a")).to.throw('A is "B": it must be one of a, b');
  });

  it("never repeats a URL that may hold a password", () => {
    const url = "http://me:secret@host";
    const attempt = () => envUrl({ A: url }, "A", ["nats:", "tls:"], "set it");
    expect(attempt).to.throw(
      "environment variable A is not a valid URL: it must start with nats:// or tls://",
    );
    expect(attempt).to.not.throw("secret");
    expect(() => envUrl({ A: "not a url" }, "A", ["nats:"], "set it")).to.throw("is not a valid URL");
  });

  it("knows the URLs of both dependencies, lists of NATS servers included", () => {
    const list = "nats://a:4222,nats://b:4222";
    expect(natsUrl({ NATS_URL: list })).to.equal(list);
    expect(databaseUrl({ DATABASE_URL: "postgresql://h/d" })).to.equal("postgresql://h/d");
    expect(() => natsUrl({})).to.throw(
      "environment variable NATS_URL is not set: set it to e.g. nats://host:4222",
    );
    expect(() => natsUrl({ NATS_URL: `${list},http://c` })).to.throw("NATS_URL is not a valid URL");
    expect(() => databaseUrl({ DATABASE_URL: "mysql://h/d" })).to.throw("postgres:// or postgresql://");
  });

  it("reads the log settings and the health port of a service", () => {
    const read = (env: Record<string, string>) => readServiceConfig(env, { name: "X_PORT", fallback: 8090 });
    expect(
      read({ LOG_LEVEL: "debug", LOG_FORMAT: "pretty", X_PORT: "0", BIND_ADDRESS: "0.0.0.0" }),
    ).to.deep.equal({
      log: { level: "debug", format: "pretty" },
      health: { host: "0.0.0.0", port: 0 },
      knownSecrets: [],
      telemetry: undefined,
    });
    expect(() => read({ LOG_LEVEL: "loud" })).to.throw("LOG_LEVEL");
    expect(() => read({ X_PORT: "-1" })).to.throw("X_PORT");
  });
});
