import { expect } from "chai";
import { loadNotifierConfig } from "../config.ts";

const NEEDED = { DATABASE_URL: "postgres://u:p@h/tarsy", NATS_URL: "nats://h:4222", CONFIG_DIR: "/nowhere" };

describe("notifier: loadNotifierConfig", () => {
  it("requires only the addresses of Postgres and NATS", () => {
    const config = loadNotifierConfig(NEEDED);
    expect(config.clients).to.deep.equal({ host: "127.0.0.1", port: 8081 });
    expect(config.health).to.deep.equal({ host: "127.0.0.1", port: 8094 });
    expect([...config.access.origins]).to.deep.equal([]);
    expect(() => loadNotifierConfig({ ...NEEDED, DATABASE_URL: "" })).to.throw("DATABASE_URL is not set");
  });

  it("reads ports, the connection limit and a list of origins", () => {
    const config = loadNotifierConfig({
      ...NEEDED,
      NOTIFIER_PORT: "0",
      NOTIFIER_HEALTH_PORT: "9000",
      BIND_ADDRESS: "0.0.0.0",
      PUBLISHED_ADDRESS: "127.0.0.1",
      ALLOWED_ORIGINS: "https://portal.example.com",
      NOTIFIER_MAX_CONNECTIONS: "7",
      WS_ALLOWED_ORIGINS: "https://tarsy.example.com, http://localhost:5173,null",
    });
    expect(config.clients).to.deep.equal({ host: "0.0.0.0", port: 0 });
    expect(config.health.port).to.equal(9_000);
    expect(config.limits.maxConnections).to.equal(7);
    expect([...config.access.origins]).to.deep.equal([
      "https://portal.example.com",
      "https://tarsy.example.com",
      "http://localhost:5173",
      "null",
    ]);
  });

  it("rejects values that are not origins", () => {
    for (const origin of [
      "*",
      "tarsy.example.com",
      "https://tarsy.example.com/",
      "ftp://tarsy.example.com",
    ]) {
      expect(() => loadNotifierConfig({ ...NEEDED, WS_ALLOWED_ORIGINS: origin })).to.throw(
        `WS_ALLOWED_ORIGINS contains "${origin}": each must be an origin such as https://tarsy.example.com, without a path`,
      );
    }
  });
});
