import { expect } from "chai";
import { addApiKey, revokeApiKey } from "#shared/access/api-keys.ts";
import { until } from "../../../test/support/until.ts";
import { ADMIN_ACCESS, ApiFixture } from "./api-fixture.ts";

const LIST = "/api/v1/sessions";

interface Credential {
  readonly cookie: string;
  readonly proof: string;
  readonly setCookie: string;
}

/** Signs in; the fixture's own headers are not sent. */
async function signIn(
  api: ApiFixture,
  token: string,
  headers: Record<string, string> = {},
): Promise<Credential> {
  const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/page-session`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const body: unknown = await response.json();
  expect(response.status).to.equal(201);
  const setCookie = response.headers.get("set-cookie") ?? "";
  const proof = typeof body === "object" && body !== null && "proof" in body ? String(body.proof) : "";
  return { cookie: setCookie.split(";", 1)[0] ?? "", proof, setCookie };
}

async function statusOf(
  api: ApiFixture,
  { cookie, proof }: Partial<Credential>,
  {
    method = "GET",
    path = LIST,
    headers = {},
  }: { method?: string; path?: string; headers?: Record<string, string> } = {},
): Promise<number> {
  const halves = {
    ...(cookie === undefined ? {} : { cookie }),
    ...(proof === undefined ? {} : { "x-tarsy-page": proof }),
  };
  const url = `http://127.0.0.1:${api.port}${path}`;
  const { status } = await fetch(url, { method, headers: { ...halves, ...headers } });
  return status;
}

describe("POST /api/v1/page-session", () => {
  describe("in the mode private", () => {
    let api: ApiFixture;
    const token = ADMIN_ACCESS.AUTH_TOKEN;

    before(async () => {
      api = await ApiFixture.start({ env: ADMIN_ACCESS });
    });
    after(() => api[Symbol.asyncDispose]());

    it("exchanges the token for a strict cookie and a proof, which let a page in together", async () => {
      const credential = await signIn(api, token);
      expect(credential.setCookie).to.match(
        /^tarsy_page=token\.\d{13}\.[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/u,
      );
      expect(credential.setCookie).not.to.include(token);
      expect(await statusOf(api, credential)).to.equal(200);
      expect(await statusOf(api, credential, { method: "POST", path: "/api/v1/ws-ticket" })).to.equal(201);
    });

    it("refuses one half, and halves of two credentials", async () => {
      const [one, other] = [await signIn(api, token), await signIn(api, token)];
      expect(await statusOf(api, { cookie: one.cookie })).to.equal(401);
      expect(await statusOf(api, { proof: one.proof })).to.equal(401);
      expect(await statusOf(api, { cookie: one.cookie, proof: other.proof })).to.equal(401);
      expect(await statusOf(api, { cookie: one.cookie, proof: "" })).to.equal(401);
      const later = one.cookie.replace(/\.\d{13}\./u, ".9999999999999.");
      expect(await statusOf(api, { cookie: later, proof: one.proof })).to.equal(401);
      const old = one.cookie.replace(/\.\d{13}\./u, ".1000000000000.");
      expect(await statusOf(api, { cookie: old, proof: one.proof })).to.equal(401);
    });

    it("refuses what another site sends with it", async () => {
      const credential = await signIn(api, token);
      for (const headers of [
        { origin: "http://evil.example" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
      ]) {
        expect(
          await statusOf(api, credential, { method: "POST", path: "/api/v1/ws-ticket", headers }),
        ).to.equal(403);
      }
    });

    it("refuses a wrong token, and records both", async () => {
      expect(await statusOf(api, {}, { method: "POST", path: "/api/v1/page-session" })).to.equal(401);
      const headers = { authorization: `Bearer ${"x".repeat(40)}` };
      expect(await statusOf(api, {}, { method: "POST", path: "/api/v1/page-session", headers })).to.equal(
        401,
      );
      await until("both in the audit log", async () => {
        const { text } = await api.raw("GET", "/api/v1/audit?action=page.sign_in");
        return text.includes('"allowed"') && text.includes('"refused"') && !text.includes(token);
      });
    });

    it("takes the cookie back", async () => {
      const { headers, status } = await api.raw("DELETE", "/api/v1/page-session");
      expect(status).to.equal(204);
      expect(headers.get("set-cookie")).to.match(
        /^tarsy_page=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/u,
      );
    });
  });

  it("makes a page act for an API key in the mode token, until the key is revoked", async () => {
    await using api = await ApiFixture.start({ env: { AUTH_MODE: "token" } });
    const { id, text } = await addApiKey(api.db, {
      subject: "eva",
      roles: ["viewer"],
      teams: [],
      expiresInDays: 1,
    });
    const credential = await signIn(api, text);
    expect(await statusOf(api, credential)).to.equal(200);
    expect(await statusOf(api, credential, { path: "/api/v1/audit" })).to.equal(403);
    const { text: who } = await api.raw("GET", "/api/v1/me", {
      headers: { authorization: `Bearer ${text}` },
    });
    // As the api's own rules have it: what the page offers is what is allowed.
    const viewer = [
      "session.read",
      "mcp.use",
      "trace.read",
      "alert_types.read",
      "contract.read",
      "tools.read",
    ];
    expect(JSON.parse(who)).to.deep.equal({
      actions: [...viewer, "ticket.create", "memory.read"],
      name: "eva",
      role: "viewer",
      teams: [],
      signed_in: false,
      sees_all: false,
      memory_enabled: false,
    });
    await revokeApiKey(api.db, id);
    await until("the page is signed out", async () => (await statusOf(api, credential)) === 401);
  });

  it("lets a page decide about tool calls in the mode loopback", async () => {
    const token = "the-approval-token-0123456789abcdefghij";
    await using api = await ApiFixture.start({ env: { APPROVAL_TOKEN: token } });
    const id = await api.client.submit("x");
    const path = `/api/v1/sessions/${id}/approvals/${id}`;
    expect(await statusOf(api, {}, { method: "POST", path })).to.equal(401);
    const credential = await signIn(api, token);
    expect(await statusOf(api, credential, { method: "POST", path })).not.to.equal(401);
  });
});
