import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { expect } from "chai";
import { SignJWT, exportJWK, generateKeyPair, type CryptoKey } from "jose";
import type { BackingServers } from "../../../test/support/backing-servers.ts";
import { ApiFixture } from "./api-fixture.ts";
import { rawMcp } from "./mcp-fixture.ts";

const ISSUER = "https://login.example.com/";
const PAGE = "https://tarsy.example.com";
const LIST = { method: "tools/list", params: {} };

describe("signing in to the MCP server with a token", () => {
  let provider: Server;
  let key: CryptoKey;
  let api: ApiFixture;
  let unnamed: ApiFixture;

  before(async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    key = privateKey;
    const jwk = { ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" };
    provider = createServer((_request, response) => void response.end(JSON.stringify({ keys: [jwk] })));
    provider.listen(0, "127.0.0.1");
    await once(provider, "listening");
    const address = provider.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const env = {
      AUTH_MODE: "jwt",
      BIND_ADDRESS: "0.0.0.0",
      AUTH_JWT_ISSUER: ISSUER,
      AUTH_JWT_AUDIENCE: "tarsy",
      AUTH_JWT_JWKS_URL: `http://127.0.0.1:${port}/jwks`,
      ALLOWED_HOSTS: "other.example.com",
    };
    const start = async (system: object, servers?: BackingServers) =>
      ApiFixture.start({ env, config: { tarsy: { system } }, ...(servers === undefined ? {} : { servers }) });
    api = await start({ dashboard_url: PAGE });
    unnamed = await start({}, api.servers);
  });
  after(async () => {
    await unnamed[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
    provider.closeAllConnections();
    provider.close();
  });

  const tokenFor = async (audience: string) => ({
    authorization: `Bearer ${await new SignJWT({ sub: "ann", roles: ["submitter"] })
      .setProtectedHeader({ alg: "ES256", kid: "k" })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setExpirationTime("5m")
      .sign(key)}`,
  });
  const status = async (on: ApiFixture, headers: Record<string, string>) =>
    (await rawMcp(() => `http://127.0.0.1:${on.port}`, headers)(LIST)).status;

  it("has its place in the metadata", async () => {
    const { text } = await api.raw("GET", "/.well-known/oauth-protected-resource/mcp");
    expect(JSON.parse(text)).to.deep.include({ resource: `${PAGE}/mcp`, authorization_servers: [ISSUER] });
  });

  it("takes a token for the configured address at this route only, and one for TARSy everywhere", async () => {
    const [ours, usual] = [await tokenFor(`${PAGE}/mcp`), await tokenFor("tarsy")];
    expect([await status(api, ours), await status(api, usual)]).to.deep.equal([200, 200]);
    const rest = async (headers: Record<string, string>) =>
      (await api.raw("GET", "/api/v1/alert-types", { headers })).status;
    expect([await rest(ours), await rest(usual)]).to.deep.equal([401, 200]);
  });

  it("takes no token for another server, whatever host the request names", async () => {
    for (const host of ["other.example.com", `127.0.0.1:${unnamed.port}`, "localhost"]) {
      for (const scheme of ["http", "https"]) {
        const token = await tokenFor(`${scheme}://${host}/mcp`);
        expect(await statusNaming(unnamed, token, host), host).to.equal(401);
        expect(await statusNaming(api, token, host), host).to.equal(401);
      }
    }
    expect(await statusNaming(unnamed, await tokenFor("tarsy"), "other.example.com")).to.equal(200);
  });
});

/** The status of a message to an api that names this host, which `fetch` would not. */
async function statusNaming(api: ApiFixture, headers: Record<string, string>, host: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...LIST });
  const sent = request({
    host: "127.0.0.1",
    port: api.port,
    path: "/mcp",
    method: "POST",
    headers: {
      ...headers,
      host,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
  });
  sent.end(body);
  const { promise, resolve } = Promise.withResolvers<number>();
  sent.once("response", (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  return promise;
}
