import { expect } from "chai";
import { Counter, Registry } from "prom-client";
import { serveHealth, type HealthServerOptions } from "#shared/service/health-server.ts";

const OK = async () => Promise.resolve();

describe("serveHealth", () => {
  const ask = async (checks: HealthServerOptions["checks"], path: string) => {
    const metrics = new Registry();
    new Counter({ name: "things_total", help: "Things", registers: [metrics] }).inc(3);
    await using server = await serveHealth({ host: "127.0.0.1", port: 0, checks, metrics });
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return {
      status: response.status,
      text: await response.text(),
      type: response.headers.get("content-type"),
    };
  };

  it("is alive even if a dependency is not", async () => {
    const broken = { postgres: async () => Promise.reject(new Error("away")) };
    expect(await ask(broken, "/healthz")).to.include({ status: 200, text: '{"status":"alive"}\n' });
  });

  it("is ready only when every dependency answers, and names each", async () => {
    expect(await ask({ postgres: OK, nats: OK }, "/readyz?verbose=1")).to.include({
      status: 200,
      text: '{"status":"ready","checks":{"postgres":"ok","nats":"ok"}}\n',
    });
    const broken = { postgres: async () => Promise.reject(new Error("cannot reach it")), nats: OK };
    expect(await ask(broken, "/readyz")).to.include({
      status: 503,
      text: '{"status":"not ready","checks":{"postgres":"cannot reach it","nats":"ok"}}\n',
    });
  });

  it("does not wait for a dependency that never answers", async () => {
    const checks = { nats: async () => new Promise<void>(() => undefined), postgres: OK };
    expect(await ask(checks, "/readyz")).to.include({
      status: 503,
      text: '{"status":"not ready","checks":{"nats":"no answer within 1000 ms","postgres":"ok"}}\n',
    });
  });

  it("serves its metrics, and 404 for any other path", async () => {
    const { status, text, type } = await ask({}, "/metrics");
    expect(status).to.equal(200);
    expect(type).to.include("text/plain");
    expect(text).to.include("things_total 3");
    expect(await ask({}, "/")).to.include({ status: 404, text: '{"message":"Not Found"}\n' });
  });
});
