import { expect } from "chai";
import { openAuthentication } from "#shared/access/authenticate.ts";
import { ApiKeys } from "#shared/access/api-keys.ts";
import { PageSessions } from "#shared/access/page-sessions.ts";
import { AccessRefused } from "#shared/access/access-refused.ts";

const secret = "0123456789abcdef0123456789abcdef";
const EMPTY = { query: async () => Promise.resolve([]) };
const NO_KEYS = new ApiKeys(EMPTY);
const NO_SESSIONS = new PageSessions(EMPTY);

describe("the mode proxy", () => {
  const mode = {
    mode: "proxy",
    secret,
    roles: { mapping: new Map([["sre", "operator" as const]]), standard: [] },
  } as const;

  it("believes the user's headers from the proxy, in their order", async () => {
    const authenticate = await openAuthentication(mode, NO_KEYS, NO_SESSIONS);
    const headers = { "x-tarsy-proxy-secret": secret, "x-forwarded-groups": "sre, admin" };
    const names = {
      "x-remote-user": "remote",
      "x-forwarded-email": "ann@example.com",
      "x-forwarded-user": "ann",
    };
    const identity = await authenticate({ ...headers, ...names });
    expect(identity).to.deep.equal({
      subject: "ann",
      name: "ann",
      roles: ["operator"],
      teams: ["sre", "admin"],
      via: "proxy",
    });
    const { "x-forwarded-user": _user, ...withoutUser } = names;
    expect(await authenticate({ ...headers, ...withoutUser })).to.include({ subject: "ann@example.com" });
    expect(await authenticate({ ...headers, "x-remote-user": "remote" })).to.include({ subject: "remote" });
  });

  it("believes no caller without the proxy's secret, and no proxy without a user", async () => {
    const authenticate = await openAuthentication(mode, NO_KEYS, NO_SESSIONS);
    const user = { "x-forwarded-user": "root" };
    for (const headers of [
      user,
      { ...user, "x-tarsy-proxy-secret": "" },
      { ...user, "x-tarsy-proxy-secret": `${secret}x` },
      { "x-tarsy-proxy-secret": secret },
    ]) {
      expect(() => authenticate(headers))
        .to.throw(AccessRefused)
        .with.property("status", 401);
    }
  });
});
