import { expect } from "chai";
import { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import type { ServerCall } from "../mcp-server.ts";
import { McpServers } from "../mcp-servers.ts";
import type { HttpSettings } from "../server-settings.ts";
import { CLIENT_ID, CLIENT_SECRET, TOKEN, startAuthorizationServer } from "./authorization-server.ts";
import { startHttpServer } from "./http-server.ts";
import { failureOf, httpAt, resultText, serverOf, settingsOf } from "./server-fixture.ts";

const never = new AbortController().signal;

function callOf(callId: string): ServerCall {
  return { callId, executionId: callId, tool: "echo", args: {}, signal: never };
}

/** A server that accepts the tokens in `valid`, and its client. */
async function startAuthorized(
  auth: (issuer: string, privateKey: string) => NonNullable<HttpSettings["auth"]>,
) {
  const resources = new AsyncDisposableStack();
  const as = resources.use(await startAuthorizationServer());
  const valid = { token: `${TOKEN}1` };
  const server = resources.use(
    await startHttpServer("legacy", {}, { isAuthorized: (header) => header === `Bearer ${valid.token}` }),
  );
  const settings = settingsOf(
    httpAt(server.url, { auth: auth(as.issuer, as.privateKey), headers: { "X-Secret": "for-the-server" } }),
    { maxConcurrent: 20 },
  );
  const client = resources.use(serverOf(settings));
  return { as, valid, server, client, [Symbol.asyncDispose]: async () => resources.disposeAsync() };
}

const withSecret = (issuer: string) =>
  ({ type: "client_credentials", clientId: CLIENT_ID, secret: CLIENT_SECRET, issuer }) as const;
const withKey = (issuer: string, secret: string) =>
  ({ type: "private_key_jwt", clientId: CLIENT_ID, secret, issuer, algorithm: "ES256" }) as const;

describe("a server that needs authorization", () => {
  it("has its tokens masked from when they are given", async () => {
    await using as = await startAuthorizationServer();
    await using server = await startHttpServer("legacy", {
      "tools/list": (request, response, id) => {
        const description = `you sent ${request.headers.authorization}`;
        server.respond(response, id, {
          tools: [{ name: "echo", description, inputSchema: { type: "object" } }],
        });
      },
    });
    await using masker = new Masker();
    await using servers = new McpServers({
      settings: [settingsOf(httpAt(server.url, { auth: withSecret(as.issuer) }))],
      env: {},
      masker,
      maskingRules: new Map([["lab", rulesOfServer({ enabled: false })]]),
    });
    const listed = (await servers.list(["lab"], { waitMs: 240_000 })).get("lab");
    expect(listed?.kind === "listed" && listed.tools[0]?.description).to.equal(
      "you sent Bearer [MASKED_CREDENTIAL]",
    );
  });

  for (const [type, auth] of [
    ["client_credentials", withSecret],
    ["private_key_jwt", withKey],
  ] as const) {
    it(`is called with one token for all connections, by ${type}`, async () => {
      await using world = await startAuthorized(auth);
      const { as, client } = world;
      const calls = ["a", "b", "c"].map((id) => client.call(callOf(id)));
      expect((await Promise.all(calls)).map(({ result }) => resultText(result))).to.deep.equal([
        "echo",
        "echo",
        "echo",
      ]);
      expect(as.state.given).to.equal(1);
      expect(as.headers.map((name) => name.toLowerCase())).not.to.include("x-secret");
    });
  }

  it("gets one new token for 20 calls whose token is refused, and each call once", async () => {
    await using world = await startAuthorized(withSecret);
    const { as, valid, server, client } = world;
    await client.call(callOf("e"));
    valid.token = `${TOKEN}2`;
    const calls = Array.from({ length: 20 }, (_none, index) =>
      client.call({ ...callOf("e"), callId: `call ${index}` }),
    );
    await Promise.all(calls);
    expect(as.state.given).to.equal(2);
    expect(server.seen.filter((line) => line === "tools/call echo")).to.have.length(21);
  });

  it("replaces a token that has expired before it is refused", async () => {
    await using world = await startAuthorized(withSecret);
    const { as, valid, client } = world;
    as.state.expiresIn = 0;
    await client.call(callOf("e")).catch(() => undefined);
    const before = as.state.given;
    valid.token = `${TOKEN}${before + 1}`;
    as.state.expiresIn = 3_600;
    await client.call(callOf("e"));
    expect(as.state.given).to.equal(before + 1);
  });

  it("is not called without a token: nothing was sent, and the reason says so", async () => {
    await using world = await startAuthorized(withSecret);
    const { as, valid, client } = world;
    await client.call(callOf("e"));
    as.state.refuses = true;
    valid.token = "another";
    const failure = await failureOf(client.call(callOf("e")));
    expect(failure).to.include({ kind: "unauthorized", sent: "no" });
    expect(failure.message).to.contain("who are you?");
    expect(await failureOf(client.call(callOf("new")))).to.include({ kind: "unauthorized" });
  });

  it("gets no credentials for another authorization server than the configured one", async () => {
    await using world = await startAuthorized((issuer) => ({
      ...withSecret(issuer),
      issuer: issuer.replace("127.0.0.1", "localhost"),
    }));
    // Its metadata name 127.0.0.1 as issuer.
    expect(await failureOf(world.client.call(callOf("e")))).to.include({ kind: "unauthorized" });
    expect(world.as.state.given).to.equal(0);
  });
});
