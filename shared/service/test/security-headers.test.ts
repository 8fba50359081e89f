import { connect } from "node:net";
import { expect } from "chai";
import { Registry } from "prom-client";
import { serveHealth } from "#shared/service/health-server.ts";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";

describe("the headers of a health server", () => {
  it("are on every answer, also to what is no request", async () => {
    await using server = await serveHealth({
      host: "127.0.0.1",
      port: 0,
      checks: {},
      metrics: new Registry(),
    });
    for (const path of ["/healthz", "/readyz", "/metrics", "/elsewhere"]) {
      const { headers } = await fetch(`http://127.0.0.1:${server.port}${path}`);
      expect(Object.fromEntries(headers), path).to.include(SECURITY_HEADERS);
    }
    const socket = connect(server.port, "127.0.0.1", () => socket.write("nonsense\r\n\r\n"));
    let answer = "";
    for await (const text of socket.setEncoding("utf8")) answer += String(text);
    expect(answer).to.match(/^HTTP\/1\.1 400 /u);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      expect(answer).to.include(`${name}: ${value}\r\n`);
    }
  });
});
