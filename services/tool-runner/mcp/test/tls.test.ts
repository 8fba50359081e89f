import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { HttpSettings } from "../server-settings.ts";
import { startHttpServer } from "./http-server.ts";
import { failureOf, httpAt, resultText, serverOf, settingsOf } from "./server-fixture.ts";

const { signal } = new AbortController();
const pem = async (name: string) => readFile(join(import.meta.dirname, "tls", `${name}.pem`), "utf8");

describe("a server over TLS", () => {
  let ca: string;
  let clientCertificate: { cert: string; key: string };
  before(async () => {
    ca = await pem("ca");
    clientCertificate = { cert: await pem("client"), key: await pem("client-key") };
  });

  /** Calls a server whose certificate the test's own authority has signed. */
  async function call(more: Partial<HttpSettings>, requestCert = false): Promise<string> {
    const tls = { cert: await pem("server"), key: await pem("server-key"), ca, requestCert };
    await using server = await startHttpServer("modern", {}, { tls });
    const settings = settingsOf(httpAt(server.url, more));
    await using client = serverOf(settings);
    const scope = { callId: "c", executionId: "e", tool: "echo", args: {}, signal };
    return resultText((await client.call(scope)).result);
  }

  it("is trusted by its authority, or if nothing is verified, and not otherwise", async () => {
    expect(await call({ ca })).to.equal("echo");
    expect(await call({ verifySsl: false })).to.equal("echo");
    const failure = await failureOf(call({}));
    expect(failure).to.include({ kind: "unreachable", sent: "no" });
    expect(failure.message).to.match(/no connection: \w*(?:VERIFY|ISSUER|SELF_SIGNED)/u);
  });

  it("gets the client's certificate, and refuses a client without one", async () => {
    expect(await call({ ca, clientCertificate }, true)).to.equal("echo");
    expect(await failureOf(call({ ca }, true))).to.include({ kind: "unreachable", sent: "no" });
  });
});
