import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { expect } from "chai";
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair, type JWK } from "jose";
import { AccessRefused } from "#shared/access/access-refused.ts";
import type { JwtConfig, RoleRules } from "#shared/access/access-config.ts";
import { openJwtVerifier } from "#shared/access/jwt-verifier.ts";

const ISSUER = "https://login.example.com/";
const AUDIENCE = "tarsy";
const NO_RULES: RoleRules = { mapping: new Map(), standard: [] };

/** A signing key of the identity provider. */
async function newKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}
type Key = Awaited<ReturnType<typeof newKey>>;

describe("tokens of an identity provider", () => {
  let provider: Server;
  let keys: JWK[] = [];
  let answer: string | undefined;
  let config: JwtConfig;
  let key: Key;

  before(async () => {
    provider = createServer((_request, response) => {
      response.end(answer ?? JSON.stringify({ keys }));
    }).listen(0, "127.0.0.1");
    await once(provider, "listening");
    const address = provider.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    config = {
      issuer: ISSUER,
      audience: AUDIENCE,
      jwksUrl: `http://127.0.0.1:${port}/jwks`,
      algorithms: ["ES256"],
      header: "authorization",
      rolesClaim: "realm_access.roles",
      teamsClaim: "groups",
    };
    key = await newKey("first");
    keys = [key.jwk];
  });
  after(() => {
    provider.closeAllConnections();
    provider.close();
  });

  const seconds = (fromNow: number) => Math.floor(Date.now() / 1_000) + fromNow;
  const token = async (
    claims: Record<string, unknown> = {},
    { signer = key, issuer = ISSUER, audience = AUDIENCE, expires = seconds(300) } = {},
  ) =>
    new SignJWT({ sub: "ann", ...claims })
      .setProtectedHeader({ alg: "ES256", kid: signer.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(expires)
      .sign(signer.privateKey);
  const refusal = async (text: string, rules = NO_RULES) => {
    const verify = await openJwtVerifier(config, rules);
    const error: unknown = await verify(text).catch((thrown: unknown) => thrown);
    return error instanceof AccessRefused ? error.status : undefined;
  };

  it("name a person, the roles of a claim and the teams", async () => {
    const verify = await openJwtVerifier(config, {
      mapping: new Map([["sre", "operator"]]),
      standard: ["viewer"],
    });
    const claims = {
      preferred_username: "Ann",
      realm_access: { roles: ["admin", "sre", "other"] },
      groups: ["platform"],
    };
    const identity = await verify(await token(claims, { expires: seconds(300) }));
    expect(identity).to.include({ subject: "ann", name: "Ann", via: "jwt" });
    expect(identity.roles).to.have.members(["viewer", "operator"]);
    const plain = await (await openJwtVerifier(config, NO_RULES))(await token(claims));
    expect(plain.roles).to.deep.equal(["admin"]);
    expect(identity.teams).to.deep.equal(["platform"]);
    expect(identity.expiresAt).to.be.above(Date.now() + 300_000);
  });

  it("are refused with a wrong signature, issuer, audience, algorithm or time, or without subject or end", async () => {
    const stranger = { ...(await newKey("first")) };
    expect(await refusal(await token({}, { signer: stranger }))).to.equal(401);
    expect(await refusal(await token({}, { issuer: "https://evil.example/" }))).to.equal(401);
    expect(await refusal(await token({}, { audience: "other" }))).to.equal(401);
    expect(await refusal(await token({}, { expires: seconds(-120) }))).to.equal(401);
    expect(await refusal(await token({ nbf: seconds(120) }))).to.equal(401);
    expect(await refusal(await token({ sub: undefined }))).to.equal(401);
    const unsigned = new UnsecuredJWT({ sub: "ann" }).setIssuer(ISSUER).setAudience(AUDIENCE);
    expect(await refusal(unsigned.setExpirationTime("5m").encode())).to.equal(401);
    const symmetric = new SignJWT({ sub: "ann" }).setProtectedHeader({ alg: "HS256", kid: "first" });
    const withSecret = symmetric.setIssuer(ISSUER).setAudience(AUDIENCE).setExpirationTime("5m");
    const publicKey = Buffer.from(JSON.stringify(key.jwk).padEnd(64));
    expect(await refusal(await withSecret.sign(publicKey))).to.equal(401);
    const signed = new SignJWT({ sub: "ann" }).setProtectedHeader({ alg: "ES256", kid: "first" });
    const endless = signed.setIssuer(ISSUER).setAudience(AUDIENCE);
    expect(await refusal(await endless.sign(key.privateKey))).to.equal(401);
    for (const text of ["x", "a.b.c", ""]) expect(await refusal(text), text).to.equal(401);
  });

  it("may be for the address of the MCP server where a request goes there, and nowhere else", async () => {
    const address = "https://tarsy.example.com/mcp";
    const verify = await openJwtVerifier(config, NO_RULES);
    const ours = await token({}, { audience: address });
    expect(await verify(ours, address)).to.have.property("subject", "ann");
    expect(await verify(await token(), address)).to.have.property("subject", "ann");
    const refused = await Promise.allSettled([
      verify(ours),
      verify(await token({}, { audience: "other" }), address),
    ]);
    expect(refused.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
  });

  it("name no one by a subject that is empty, invisible or no text", async () => {
    for (const sub of [
      "",
      " ",
      "\t\n",
      "\u00a0",
      "\u200b\ufeff",
      "\u3164",
      "\0",
      5,
      null,
      true,
      ["ann"],
      { ann: 1 },
    ]) {
      const text = await token({ sub });
      expect(await refusal(text), JSON.stringify(sub)).to.equal(401);
    }
    const verify = await openJwtVerifier(config, NO_RULES);
    const claims = { sub: "0", preferred_username: " ", email: "" };
    expect(await verify(await token(claims))).to.include({ subject: "0", name: "0" });
  });

  it("may be wrong by a minute", async () => {
    expect(await refusal(await token({}, { expires: seconds(-20) }))).to.equal(undefined);
    expect(await refusal(await token({ nbf: seconds(30) }))).to.equal(undefined);
  });

  it("of a new key are accepted once the provider publishes it", async () => {
    const next = await newKey("second");
    keys = [key.jwk, next.jwk];
    expect(await refusal(await token({}, { signer: next }))).to.equal(undefined);
  });

  it("are answered with 503 while the provider's keys cannot be read", async () => {
    answer = "no key set";
    expect(await refusal(await token())).to.equal(503);
    answer = undefined;
    const away = { ...config, jwksUrl: "http://127.0.0.1:1/jwks" };
    const verify = await openJwtVerifier(away, NO_RULES);
    const error: unknown = await verify(await token()).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(AccessRefused).and.include({ status: 503 });
  });
});
