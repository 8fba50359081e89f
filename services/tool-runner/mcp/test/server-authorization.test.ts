import { expect } from "chai";
import { pino } from "pino";
import type { Database } from "#shared/database/database.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { BackingServers } from "../../../../test/support/backing-servers.ts";
import { fakeOAuthServer } from "../../../../test/support/oauth-server.ts";
import { until } from "../../../../test/support/until.ts";
import { McpServers } from "../mcp-servers.ts";
import { AuthorizationRows } from "../oauth/authorization-rows.ts";
import type { OAuth } from "../server-settings.ts";
import { keys } from "./test-keys.ts";
import { startHttpServer } from "./http-server.ts";
import { callTool, failureOf, findServer, httpAt, resultText, settingsOf } from "./server-fixture.ts";

const log = pino({ level: "silent" });
const { signal } = new AbortController();
const REDIRECT = "https://tarsy.example.com/api/v1/oauth/callback";

describe("a server that a person authorizes", () => {
  const resources = new AsyncDisposableStack();
  let db: Database;
  let nth = 0;

  before(async () => {
    const servers = resources.use(await BackingServers.share());
    const url = servers.postgres.serviceUrls["tool-runner"];
    db = resources.use(await openDatabase({ url, applicationName: "oauth-test", poolSize: 10, log, signal }));
  });
  after(() => resources.disposeAsync());

  /** An MCP server with its authorization server, and a way to start runners that use it. */
  const startWorld = async (authAt: (origin: string) => Partial<OAuth> = () => ({})) => {
    const stack = new AsyncDisposableStack();
    const oauth = fakeOAuthServer();
    const { handle, isLive: isAuthorized } = oauth;
    const http = stack.use(await startHttpServer("legacy", {}, { isAuthorized, before: handle }));
    const { origin } = new URL(http.url);
    oauth.isAt(origin);
    const auth: OAuth = { type: "oauth", ...authAt(origin) };
    const id = `remote-${(nth += 1)}`;
    const runner = (tokenKeys = keys(1), masker = stack.use(new Masker())) =>
      stack.use(
        new McpServers({
          settings: [settingsOf(httpAt(http.url, { auth }), { id })],
          env: {},
          masker,
          authorizations: new AuthorizationRows(db, tokenKeys),
        }),
      );
    return { oauth, id, runner, [Symbol.asyncDispose]: async () => stack.disposeAsync() };
  };
  type World = Awaited<ReturnType<typeof startWorld>>;

  const partsOf = (servers: McpServers, id: string) => {
    const { authorization, tokens } = findServer(servers, id).connections;
    if (authorization === undefined || tokens === undefined) throw new Error("no authorization");
    return { authorization, tokens };
  };
  const begin = async (servers: McpServers, id: string) => {
    const { authorization, tokens } = partsOf(servers, id);
    return tokens.inTime(async (fetchFn) => authorization.begin(REDIRECT, fetchFn));
  };
  /** What the authorization server makes the browser bring. */
  const agree = async (address: string) => {
    const { headers } = await fetch(address, { redirect: "manual" });
    const back = new URL(headers.get("location") ?? "about:blank");
    expect(`${back.origin}${back.pathname}`).to.equal(REDIRECT);
    const part = (name: string) => back.searchParams.get(name) ?? "";
    return { state: part("state"), code: part("code"), iss: part("iss") };
  };
  const finish = async (servers: McpServers, answer: { state: string; code: string; iss?: string }) => {
    const rows = new AuthorizationRows(db, keys(1));
    const begun = await rows.take(answer.state);
    if (begun === undefined) throw new Error("not expected");
    const { authorization, tokens } = partsOf(servers, begun.server);
    await tokens.inTime(async (fetchFn) => authorization.finish({ ...answer, text: begun.text }, fetchFn));
    tokens.forget();
  };
  const connect = async ({ id, runner }: World) => {
    const servers = runner();
    await finish(servers, await agree(await begin(servers, id)));
    return servers;
  };
  const call = async (servers: McpServers, server: string, callId = "c") => {
    const asked = { server, callId, executionId: "e", tool: "echo", args: {}, signal };
    return resultText((await callTool(servers, asked)).result);
  };
  const stored = async (id: string) => {
    const rows = await db.query(
      "SELECT generation, claimed_until, encode(sealed, 'escape') AS sealed FROM mcp_authorizations WHERE server = $1",
      [id],
    );
    return rows[0];
  };
  /** The stored tokens expire at once, as time would have it. */
  const expire = async (id: string) => {
    const rows = new AuthorizationRows(db, keys(1));
    const found = await rows.read(id);
    if (found === undefined || found.text === null) throw new Error("nothing is stored");
    const known: unknown = JSON.parse(found.text);
    await rows.store(id, JSON.stringify({ ...Object(known), expires_at: Date.now() }));
  };

  it("is not called before, and the reason names the command", async () => {
    await using world = await startWorld();
    const failure = await failureOf(call(world.runner(), world.id));
    expect(failure).to.include({ kind: "unauthorized", sent: "no" });
    expect(failure.message).to.include(`tarsy connect ${world.id}`);
    expect(world.oauth.seen).to.deep.equal([]);
  });

  it("is called by every runner once one was connected, also after a restart, and stores no readable token", async () => {
    await using world = await startWorld();
    const first = await connect(world);
    expect(await call(first, world.id)).to.equal("echo");
    await first[Symbol.asyncDispose]();
    expect(await call(world.runner(), world.id)).to.equal("echo");
    expect(world.oauth.state.refreshes).to.equal(0);
    const dump = JSON.stringify([await stored(world.id), await db.query("SELECT * FROM mcp_connects")]);
    expect(dump).not.to.match(/access-|refresh-|verifier/u);
  });

  it("has its tokens masked on every runner that uses them", async () => {
    await using world = await startWorld();
    await connect(world);
    const found = await new AuthorizationRows(db, keys(1)).read(world.id);
    const [access = "", refresh = ""] = found?.text?.match(/(?:access|refresh)-[\w-]{36}/gu) ?? [];
    const text = `${access} and ${refresh}`;
    await using masker = new Masker();
    const masked = async () => (await masker.mask(text, { rules: rulesOfServer({ enabled: false }) })).text;
    expect(await masked()).to.equal(text);
    await call(world.runner(keys(1), masker), world.id);
    expect(await masked()).to.equal("[MASKED_CREDENTIAL] and [MASKED_CREDENTIAL]");
  });

  it("takes each answer once, within its time, and none that it does not expect", async () => {
    await using world = await startWorld();
    const servers = world.runner();
    const rows = new AuthorizationRows(db, keys(1));
    const answer = await agree(await begin(servers, world.id));
    expect(await rows.take(`${answer.state}x`)).to.equal(undefined);
    await finish(servers, answer);
    expect(await rows.take(answer.state)).to.equal(undefined);
    await db.query(
      `INSERT INTO mcp_connects (state_hash, server, sealed, expires_at)
       VALUES (sha256('late'), $1, 'x', now() - interval '1 s')`,
      [world.id],
    );
    expect(await rows.take("late")).to.equal(undefined);
    await begin(servers, world.id);
    const [left] = await db.query(
      `SELECT count(*)::int AS n, max(expires_at) BETWEEN now() + interval '9 min' AND now() + interval '10 min' AS ends
       FROM mcp_connects WHERE server = $1`,
      [world.id],
    );
    expect(left).to.deep.equal({ n: 1, ends: true });
  });

  it("refuses an answer of another authorization server, and a code of another flow", async () => {
    await using world = await startWorld();
    const servers = world.runner();
    const one = await agree(await begin(servers, world.id));
    const other = await agree(await begin(servers, world.id));
    const mixedUp = await finish(servers, { ...one, iss: "https://evil.example" }).catch(String);
    expect(mixedUp).to.match(/iss/iu);
    const stolen = await finish(servers, { ...other, code: one.code }).catch(String);
    expect(stolen).to.include("invalid_grant");
    expect(await stored(world.id)).to.equal(undefined);
  });

  it("refuses an answer of another authorization server also once its own has no metadata any more", async () => {
    await using world = await startWorld();
    const servers = world.runner();
    const one = await agree(await begin(servers, world.id));
    world.oauth.state.metadata = undefined;
    const mixedUp = await finish(servers, { ...one, iss: "https://honest.example" }).catch(String);
    expect(mixedUp).to.match(/iss of the answer is https:\/\/honest\.example, but http.+ was asked/u);
    expect(world.oauth.seen).not.to.include("/token");
  });

  it("leads the browser to no other authorization server than the one that is named", async () => {
    await using world = await startWorld();
    world.oauth.state.metadata = { authorization_endpoint: "https://honest.example/authorize" };
    expect(await begin(world.runner(), world.id).catch(String)).to.match(
      /names https:\/\/honest\.example .+ set auth\.issuer/u,
    );
    await using chosen = await startWorld((issuer) => ({ issuer }));
    chosen.oauth.state.metadata = { authorization_endpoint: "https://login.example/authorize" };
    expect(await begin(chosen.runner(), chosen.id)).to.match(/^https:\/\/login\.example\/authorize/u);
  });

  for (const own of ["http://localhost:9", "https://[::ffff:7f00:1]", "https://169.254.169.254"]) {
    it(`sends nothing to ${own}, which the metadata of a named authorization server has`, async () => {
      await using world = await startWorld((issuer) => ({ issuer }));
      const servers = world.runner();
      const answer = await agree(await begin(servers, world.id));
      world.oauth.state.metadata = { token_endpoint: `${own}/token` };
      expect(await finish(servers, answer).catch(String)).to.include(
        `names ${own}, an address of the tool-runner's own`,
      );
    });
  }

  it("keeps a token whose life is beyond all numbers", async () => {
    await using world = await startWorld();
    world.oauth.state.expiresIn = Number.MAX_VALUE;
    expect(await call(await connect(world), world.id)).to.equal("echo");
    expect(await call(world.runner(), world.id)).to.equal("echo");
  });

  it("gets one new token from two runners that need one at once, and both use it", async () => {
    await using world = await startWorld();
    await connect(world);
    await expire(world.id);
    const gate = Promise.withResolvers<void>();
    world.oauth.state.gate = gate.promise;
    const runners = [world.runner(), world.runner()];
    const calls = runners.flatMap((servers) => ["a", "b"].map(async (name) => call(servers, world.id, name)));
    await until("a runner refreshes", () => Promise.resolve(world.oauth.seen.at(-1) === "/token"));
    gate.resolve();
    expect(await Promise.all(calls)).to.deep.equal(["echo", "echo", "echo", "echo"]);
    expect(world.oauth.state.refreshes).to.equal(1);
    expect(await stored(world.id)).to.include({ claimed_until: null });
  });

  it("gets a new token when the server refuses the one that is stored", async () => {
    await using world = await startWorld();
    const servers = await connect(world);
    await call(servers, world.id);
    world.oauth.expire();
    expect(await call(servers, world.id, "d")).to.equal("echo");
    expect(world.oauth.state.refreshes).to.equal(1);
    // Another runner knows the old one only from its memory.
    expect(await call(world.runner(), world.id)).to.equal("echo");
    expect(world.oauth.state.refreshes).to.equal(1);
  });

  it("goes on after a runner that died while it refreshed", async () => {
    await using world = await startWorld();
    await connect(world);
    await expire(world.id);
    const rows = new AuthorizationRows(db, keys(1));
    const { generation = 0 } = (await rows.read(world.id)) ?? {};
    expect(await rows.claim(world.id, generation, 1)).to.equal(true);
    expect(await rows.claim(world.id, generation, 1)).to.equal(false);
    expect(await call(world.runner(), world.id)).to.equal("echo");
    expect(world.oauth.state.refreshes).to.equal(1);
  });

  it("stays connected while the authorization server fails, and says so", async () => {
    await using world = await startWorld();
    await connect(world);
    await expire(world.id);
    world.oauth.state.fails = 503;
    const failure = await failureOf(call(world.runner(), world.id));
    expect(failure).to.include({ kind: "unauthorized" });
    expect(failure.message).to.match(/no token from the authorization server/u);
    world.oauth.state.fails = 0;
    expect(await call(world.runner(), world.id)).to.equal("echo");
  });

  it("is not connected any more once the person has taken it back, until they agree again", async () => {
    await using world = await startWorld();
    const servers = await connect(world);
    await call(servers, world.id);
    world.oauth.revoke();
    for (const one of [servers, world.runner()]) {
      expect((await failureOf(call(one, world.id, "d"))).message).to.include(`tarsy connect ${world.id}`);
    }
    expect(await stored(world.id)).to.include({ sealed: null });
    await finish(servers, await agree(await begin(servers, world.id)));
    expect(await call(world.runner(), world.id)).to.equal("echo");
  });

  it("goes on with a new key, which the next refresh uses, and needs the old one until then", async () => {
    await using world = await startWorld();
    await connect(world);
    const lost = await failureOf(call(world.runner(keys(2)), world.id));
    expect(lost.message).to.include("MCP_TOKEN_KEYS has no key 1");
    world.oauth.expire();
    expect(await call(world.runner(keys(2, 1)), world.id)).to.equal("echo");
    expect(await call(world.runner(keys(2)), world.id)).to.equal("echo");
  });

  it("is not asked at an authorization server that only the server names", async () => {
    await using world = await startWorld();
    world.oauth.state.named = "https://login.evil.example";
    const refusal = await begin(world.runner(), world.id).catch(String);
    expect(refusal).to.match(/names https:\/\/login\.evil\.example .+ set auth\.issuer/u);
    await using chosen = await startWorld((issuer) => ({ issuer }));
    chosen.oauth.state.named = "https://login.evil.example";
    expect(await call(await connect(chosen), chosen.id)).to.equal("echo");
  });

  it("says what to do at an authorization server that registers no clients", async () => {
    await using world = await startWorld();
    world.oauth.state.registers = false;
    expect(await begin(world.runner(), world.id).catch(String)).to.match(
      /dynamic client registration: register .+ auth\.client_id/u,
    );
  });
});
