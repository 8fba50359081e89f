import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { fakeOAuthServer } from "../../../test/support/oauth-server.ts";
import { toolRunnerHere } from "../../../test/support/services-here.ts";
import { until } from "../../../test/support/until.ts";
import { tarsyHere } from "../../../scripts/test/tarsy-here.ts";
import { startHttpServer } from "../../tool-runner/mcp/test/http-server.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";

const parseBody = compileParser(
  "answer",
  Type.Object({
    message: Type.Optional(Type.String()),
    authorization_url: Type.Optional(Type.String()),
    expires_in_seconds: Type.Optional(Type.Integer()),
  }),
);
const CONNECT = "/api/v1/system/mcp-servers/remote/connect";
const ORIGIN = "https://tarsy.example.com";

describe("POST /api/v1/system/mcp-servers/:server/connect", () => {
  const resources = new AsyncDisposableStack();
  const oauth = fakeOAuthServer();
  let api: ApiFixture;
  let configDir: string;
  let servers: BackingServers;
  let admin: { readonly authorization: string };

  before(async () => {
    const { handle, isLive: isAuthorized } = oauth;
    const http = resources.use(await startHttpServer("legacy", {}, { isAuthorized, before: handle }));
    oauth.isAt(new URL(http.url).origin);
    const remote = { transport: { type: "http", url: http.url }, auth: { type: "oauth" } };
    const plain = { transport: { type: "http", url: http.url } };
    const config = {
      tarsy: { system: { dashboard_url: `${ORIGIN}/tarsy/` }, mcp_servers: { remote, plain } },
    };
    servers = resources.use(await BackingServers.share());
    api = resources.use(await ApiFixture.start({ servers, config, env: KEY_ACCESS }));
    ({ path: configDir } = resources.use(await testConfigDirectory(config)));
    admin = await api.keyOf("ann", ["admin"]);
    // Until then it answers what it does without a tool-runner.
    await api.untilConnected();
  });
  after(() => resources.disposeAsync());

  const connect = async (headers: Record<string, string>, path = CONNECT) => {
    const { status, text } = await api.raw("POST", path, { headers });
    return { status, body: parseBody(JSON.parse(text)) };
  };
  const callback = async (query: Record<string, string>, headers: Record<string, string> = {}) =>
    api.raw("GET", `/api/v1/oauth/callback?${String(new URLSearchParams(query))}`, { headers });
  const system = async (what: string) =>
    (await api.raw("GET", `/api/v1/system/${what}`, { headers: admin })).text;

  it("is refused to others than admins, and for servers that need no person", async () => {
    expect((await connect(await api.keyOf("op", ["operator"]))).status).to.equal(403);
    expect((await connect({})).status).to.equal(401);
    expect(await connect(admin, CONNECT.replace("remote", "plain"))).to.include({ status: 404 });
    expect((await connect(admin)).status).to.equal(503);
  });

  it("says what the tool-runner lacks without a key", async () => {
    await using _ = await toolRunnerHere(configDir, servers);
    const { status, body } = await connect(admin);
    expect(status).to.equal(409);
    expect(body.message).to.match(/^MCP_TOKEN_KEYS is not set, .+openssl rand -base64 32/u);
  });

  describe("with a key", () => {
    let runner: AsyncDisposable;

    before(async () => {
      const key = Buffer.alloc(32, 7).toString("base64");
      await appendFile(join(configDir, "tool-runner.env"), `MCP_TOKEN_KEYS=1:${key}\n`);
      runner = await toolRunnerHere(configDir, servers);
    });
    after(() => runner[Symbol.asyncDispose]());

    it("leads an administrator to the server, and its answer connects all tool-runners", async () => {
      await until("a warning names the command", async () =>
        (await system("warnings")).includes("an administrator runs `tarsy connect remote`"),
      );
      const spoofed = await connect({ ...admin, "x-forwarded-host": "evil.example" });
      expect(spoofed.body).to.include({ expires_in_seconds: 600 });
      expect(spoofed.body.authorization_url).not.to.include("evil");
      const env = {
        TARSY_API_URL: `http://127.0.0.1:${api.port}`,
        TARSY_TOKEN: admin.authorization.replace("Bearer ", ""),
      };
      const { code, out, errors } = await tarsyHere(["connect", "remote"], env);
      expect(code, errors).to.equal(0);
      expect(out).to.match(/^Open this address within 10 minutes, and agree there:\nhttp/u);
      const asked = new URL(out.split("\n")[1] ?? "");
      expect(asked.searchParams.get("redirect_uri")).to.equal(`${ORIGIN}/api/v1/oauth/callback`);
      const { headers } = await fetch(asked, { redirect: "manual" });
      const answer = Object.fromEntries(new URL(headers.get("location") ?? "").searchParams);
      // Another runner may finish, after a restart of the first one.
      await runner[Symbol.asyncDispose]();
      runner = await toolRunnerHere(configDir, servers);

      for (const wrong of [
        { ...answer, state: `${answer["state"]?.slice(1)}x` },
        { ...answer, state: "short" },
        { state: answer["state"] ?? "" },
        { ...answer, error: "access_denied" },
      ]) {
        expect((await callback(wrong)).status).to.equal(400);
      }
      const done = await callback(answer);
      expect(done.text).to.equal("MCP server remote is connected. You can close this window.\n");
      expect(done.headers.get("content-type")).to.match(/^text\/plain/u);
      expect(done.headers.get("referrer-policy")).to.equal("no-referrer");
      const again = await callback(answer);
      expect(again.status).to.equal(400);
      expect(again.text).to.include("not expected, or not any more");
      await until("its tools are listed", async () => (await system("mcp-servers")).includes('"echo"'));
    });

    it("is recorded with the server, and none of it has a code, a state or a token", async () => {
      const rows = await until("it is recorded", async () => {
        const found = await servers.query("SELECT * FROM audit_log WHERE action = 'mcp.connect'", []);
        return found.some((row) => JSON.stringify(row).includes('"allowed"')) ? found : undefined;
      });
      expect(JSON.stringify(rows))
        .to.include('"server":"remote"')
        .and.not.match(/code-|access-|refresh-/u);
    });
  });
});
