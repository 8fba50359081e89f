import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { expect } from "chai";
import { apiRoutes } from "../app.ts";
import { ApiFixture } from "./api-fixture.ts";

describe("who may use the api without authentication", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({
      env: { ALLOWED_HOSTS: "tarsy.example.com", ALLOWED_ORIGINS: "https://portal.example.com,null" },
      config: { tarsy: { system: { dashboard_url: "https://dashboard.example.com/tarsy/" } } },
    });
  });
  after(() => api[Symbol.asyncDispose]());

  const status = async (method: string, path: string, headers: Record<string, string>) =>
    (await api.raw(method, path, { headers })).status;

  it("answers 421 to a name that is not its own, on every route", async () => {
    for (const { method, path } of apiRoutes(api.deps)) {
      const answer = await rawRequest(api.port, method, path, "evil.example:27080");
      expect(answer, `${method} ${path}`).to.match(/^HTTP\/1\.1 421 /u);
    }
    for (const host of [
      "localhost",
      `LOCALHOST.:${api.port}`,
      "127.0.0.1:1",
      "[::1]:80",
      "tarsy.example.com",
    ]) {
      expect(await rawRequest(api.port, "get", "/health", host), host).to.match(/^HTTP\/1\.1 200 /u);
    }
    for (const host of ["evil.example", "localhost.evil.example", "10.0.0.1", "127.0.0.1.evil.example", ""]) {
      expect(await rawRequest(api.port, "get", "/health", host), host).to.match(/^HTTP\/1\.1 421 /u);
    }
  });

  it("refuses pages of other sites, and allows those that are listed", async () => {
    const cancel = `/api/v1/sessions/${randomUUID()}/cancel`;
    expect(await status("POST", cancel, { "sec-fetch-site": "cross-site" })).to.equal(403);
    expect(await status("POST", cancel, { "sec-fetch-site": "same-site" })).to.equal(403);
    expect(await status("POST", cancel, { "sec-fetch-site": "same-origin" })).to.equal(404);
    for (const origin of [
      "http://evil.example",
      "http://localhost:5173",
      "http://localhost:3000",
      "https://127.0.0.1",
    ]) {
      expect(await status("POST", cancel, { origin }), origin).to.equal(403);
      expect(await status("GET", "/health", { origin }), origin).to.equal(403);
    }
    expect(await status("POST", cancel, { origin: `http://127.0.0.1:${api.port}` })).to.equal(404);
    const origin = "https://portal.example.com";
    const { headers } = await api.raw("GET", "/health", { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).to.equal(origin);
    const preflight = { origin, "access-control-request-method": "POST" };
    const answer = await api.raw("OPTIONS", "/api/v1/alerts", { headers: preflight });
    expect(answer.status).to.equal(204);
    expect(answer.headers.get("access-control-allow-headers")).to.include("content-type");
    const other = await api.raw("GET", "/health");
    expect(other.headers.get("access-control-allow-origin")).to.equal(null);
  });

  it("lets pages of listed origins and of the dashboard send cookies, and no others", async () => {
    const cors = async (origin: string, path = "/health") => {
      const { headers } = await api.raw("GET", path, { headers: { origin } });
      return ["origin", "credentials"].map((name) => headers.get(`access-control-allow-${name}`));
    };
    const unknown = `/api/v1/sessions/${randomUUID()}`;
    for (const origin of ["https://portal.example.com", "https://dashboard.example.com"]) {
      expect(await cors(origin)).to.deep.equal([origin, "true"]);
      expect(await cors(origin, unknown), "an error").to.deep.equal([origin, "true"]);
      const { headers } = await api.raw("OPTIONS", unknown, {
        headers: { origin, "access-control-request-method": "PATCH" },
      });
      expect(headers.get("access-control-allow-credentials")).to.equal("true");
      expect(headers.get("access-control-allow-methods")).to.include("PATCH").and.include("DELETE");
      expect(headers.get("vary")).to.match(/origin/iu);
    }
    expect(await cors("null")).to.deep.equal(["null", null]);
    for (const origin of [
      "http://localhost:5173",
      "https://dashboard.example.com:8443",
      "http://dashboard.example.com",
    ]) {
      expect(await cors(origin), origin).to.deep.equal([null, null]);
    }
    expect(await cors(`http://127.0.0.1:${api.port}`)).to.deep.equal([null, null]);
  });

  it("lets every program in as an operator, who deletes nothing and reads no audit log", async () => {
    expect(await status("GET", "/api/v1/system/config", {})).to.equal(200);
    expect(await status("GET", "/api/v1/audit", {})).to.equal(403);
    expect(await status("DELETE", `/api/v1/sessions/${randomUUID()}`, {})).to.equal(403);
  });
});

/** Sends a request with this Host header, which fetch does not let one choose; resolves with the answer. */
async function rawRequest(port: number, method: string, path: string, host: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(`${method.toUpperCase()} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return readText(socket);
}
