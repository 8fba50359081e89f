import { expect } from "chai";
import { readAccessConfig } from "#shared/access/access-config.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

describe("readAccessConfig", () => {
  it("needs nothing on the loopback address, and lets its own names in", () => {
    const { auth, hosts, origins } = readAccessConfig({});
    expect(auth).to.deep.equal({ mode: "loopback" });
    expect([...hosts]).to.deep.equal(["localhost", "127.0.0.1", "[::1]"]);
    expect(origins.size).to.equal(0);
  });

  it("refuses to let everybody in from other machines, unless a variable says so", () => {
    for (const address of ["0.0.0.0", "::", "192.0.2.1", "tarsy.example.com"]) {
      expect(() => readAccessConfig({ BIND_ADDRESS: address }), address).to.throw(/AUTH_ALLOW_OPEN/u);
      expect(() => readAccessConfig({ PUBLISHED_ADDRESS: address }), address).to.throw(address);
      expect(readAccessConfig({ BIND_ADDRESS: address, AUTH_ALLOW_OPEN: "1" }).auth.mode).to.equal(
        "loopback",
      );
      expect(readAccessConfig({ BIND_ADDRESS: address, AUTH_MODE: "token" }).auth.mode).to.equal("token");
    }
  });

  it("follows the published address, not that inside a container", () => {
    const env = { BIND_ADDRESS: "0.0.0.0", PUBLISHED_ADDRESS: "127.0.0.1" };
    expect(readAccessConfig(env).auth.mode).to.equal("loopback");
    const published = {
      AUTH_MODE: "token",
      PUBLISHED_ADDRESS: "192.0.2.1",
      ALLOWED_HOSTS: "TARSY.example.com:8443, proxy",
    };
    expect([...readAccessConfig(published).hosts]).to.include.members([
      "192.0.2.1",
      "tarsy.example.com",
      "proxy",
    ]);
  });

  it("names the variable that is missing or wrong, and never repeats a secret", () => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ AUTH_MODE: "none" }, /AUTH_MODE.*loopback, private, token, jwt, proxy/u],
      [{ AUTH_MODE: "private" }, /AUTH_TOKEN is not set/u],
      [{ AUTH_MODE: "private", AUTH_TOKEN: "short" }, /AUTH_TOKEN is too short: use at least 32 characters/u],
      [{ APPROVAL_TOKEN: "short" }, /APPROVAL_TOKEN is too short: use at least 32 characters/u],
      [{ AUTH_MODE: "proxy" }, /AUTH_PROXY_SECRET is not set/u],
      [{ AUTH_MODE: "jwt" }, /AUTH_JWT_ISSUER is not set/u],
      [{ ALLOWED_HOSTS: "a/b" }, /ALLOWED_HOSTS contains "a\/b"/u],
      [{ ALLOWED_ORIGINS: "*" }, /ALLOWED_ORIGINS contains "\*"/u],
      [
        { AUTH_MODE: "proxy", AUTH_PROXY_SECRET: SECRET, AUTH_DEFAULT_ROLES: "root" },
        /AUTH_DEFAULT_ROLES contains "root"/u,
      ],
      [{ AUTH_MODE: "proxy", AUTH_PROXY_SECRET: SECRET, AUTH_ROLE_MAPPING: "a" }, /AUTH_ROLE_MAPPING/u],
    ];
    for (const [env, message] of wrong) {
      expect(() => readAccessConfig(env), JSON.stringify(env)).to.throw(message);
    }
    const jwt = {
      AUTH_MODE: "jwt",
      AUTH_JWT_ISSUER: "i",
      AUTH_JWT_AUDIENCE: "a",
      AUTH_JWT_JWKS_URL: "https://x/",
    };
    expect(() => readAccessConfig({ ...jwt, AUTH_JWT_ALGORITHMS: "HS256" })).to.throw(
      /AUTH_JWT_ALGORITHMS contains "HS256"/u,
    );
    expect(readAccessConfig(jwt).auth.mode).to.equal("jwt");
  });
});
