import { mock } from "node:test";
import { expect } from "chai";
import { CompactEncrypt } from "jose";
import { pino } from "pino";
import { IdentityProvider } from "../sign-in/identity-provider.ts";
import { refusalPage } from "../sign-in/routes.ts";
import { PAGE, PAGE_HEADER, refused, SignInFixture } from "./sign-in-fixture.ts";

describe("signing in to the page, against those who may not", () => {
  let fixture: SignInFixture;

  before(async () => {
    fixture = await SignInFixture.start();
  });
  after(async () => fixture[Symbol.asyncDispose]());

  it("wants the header of the page beside the cookie, and its origin", async () => {
    const browser = await fixture.signedIn();
    const status = async (headers: Record<string, string>, method = "GET", path = "me") =>
      (await browser.send(`${PAGE}/api/v1/${path}`, { method, headers })).status;
    expect(await status(PAGE_HEADER)).to.equal(200);
    expect(await status({})).to.equal(401);
    for (const foreign of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      for (const path of ["ws-ticket", "auth/logout"]) {
        expect(await status({ ...PAGE_HEADER, ...foreign }, "POST", path), path).to.equal(403);
      }
    }
    expect(await status(PAGE_HEADER)).to.equal(200);
  });

  it("refuses people without a role, or of more groups than the provider names, with a sentence", async () => {
    for (const [login, sentence] of [
      ["bob", /you are signed in, but have no role in TARSy/u],
      ["eve", /did not name your groups because you have too many/u],
    ] as const) {
      const browser = fixture.browser();
      const callback = await fixture.toCallback(browser, { login });
      await refused(await browser.send(callback), 403, sentence);
      expect([...browser.cookiesOf(PAGE).keys()].join(" ")).not.to.include("__Host-tarsy");
      const again = fixture.browser();
      const page = await again.send(await fixture.toCallback(again, { login }), {
        headers: { accept: "text/html,*/*" },
      });
      expect(page.headers.get("content-type")).to.equal("text/html; charset=utf-8");
      expect(page.headers.get("content-security-policy")).to.include("default-src 'none'");
      await refused(page, 403, /<h1>Not signed in<\/h1>/u);
    }
    expect(refusalPage('<b> & "c"')).to.include("<p>&#60;b&#62; &#38; &#34;c&#34;.</p>");
  });

  it("refuses an answer in another browser, a second time, with a wrong code or of another issuer", async () => {
    const browser = fixture.browser();
    const callback = await fixture.toCallback(browser);
    const elsewhere = /begun in another browser, is finished or took longer than 10 minutes: sign in again/u;
    await refused(await fixture.browser().send(callback), 401, elsewhere);
    const flow = new Map(browser.cookiesOf(PAGE));
    expect((await browser.send(callback)).status).to.equal(302);
    await refused(await browser.send(callback), 401, elsewhere);
    for (const [name, value] of flow) browser.cookiesOf(PAGE).set(name, value);
    await refused(await browser.send(callback), 401, /did not let you in \(invalid_grant\)/u);

    for (const [name, value, sentence] of [
      ["code", "wrong", /did not let you in \(invalid_grant\)/u],
      ["iss", "https://evil.example", /answer of the identity provider is not valid/u],
      ["state", "x".repeat(43), elsewhere],
      ["state", "x", elsewhere],
    ] as const) {
      const changed = fixture.browser();
      const url = new URL(await fixture.toCallback(changed));
      url.searchParams.set(name, value);
      await refused(await changed.send(url.href), 401, sentence);
    }
    const declined = fixture.browser();
    const url = new URL(await fixture.toCallback(declined));
    url.searchParams.delete("code");
    url.searchParams.set("error", "<script>");
    await refused(
      await declined.send(url.href, { headers: { accept: "text/html,*/*" } }),
      401,
      /did not let you in: sign in again/u,
    );
  });

  it("refuses a sign-in that took too long, and one that it has not sealed", async () => {
    const browser = fixture.browser();
    const callback = await fixture.toCallback(browser);
    mock.timers.enable({ apis: ["Date"], now: Date.now() + 601_000 });
    try {
      await refused(await browser.send(callback), 401, /took longer than 10 minutes: sign in again/u);
    } finally {
      mock.timers.reset();
    }
    const [name = ""] = browser.cookiesOf(PAGE).keys();
    const forged = new CompactEncrypt(Buffer.from("{}")).setProtectedHeader({ alg: "dir", enc: "A256GCM" });
    browser.cookiesOf(PAGE).set(name, await forged.encrypt(new Uint8Array(32)));
    await refused(await browser.send(callback), 401, /sign in again/u);
  });

  it("leads to no other site", async () => {
    const browser = fixture.browser();
    for (const to of [
      "//evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/\t/evil.example",
      "https://evil.example/",
      "https:evil.example",
      "evil.example",
      "javascript:alert(1)",
      "/".repeat(2_001),
    ]) {
      const response = await browser.send(`${PAGE}/api/v1/auth/login?to=${encodeURIComponent(to)}`);
      await refused(response, 400, /field 'to'/u);
    }
    for (const to of ["/%2F%2Fevil.example", "/.//evil.example", "/@evil.example"]) {
      const visitor = fixture.browser();
      const { headers } = await visitor.send(await fixture.toCallback(visitor, { to }));
      expect(new URL(headers.get("location") ?? "").origin, to).to.equal(PAGE);
    }
  });

  it("says in the log why the provider does not answer, such as an unknown certificate", async () => {
    const lines: string[] = [];
    const settings = {
      issuer: "http://127.0.0.1:1",
      clientId: "tarsy",
      clientSecret: "x".repeat(32),
      scope: "openid",
      publicUrl: PAGE,
      claims: { rolesClaim: "roles", teamsClaim: "groups" },
      roles: { mapping: new Map(), standard: [] },
    };
    const log = pino({ base: null }, { write: (line) => void lines.push(line) });
    const failure = await new IdentityProvider(settings, log).begin("/").catch(String);
    expect(failure).to.include("the identity provider does not answer");
    expect(lines.join("")).to.include("bad port").and.include('"issuer":"http://127.0.0.1:1"');
  });

  it("does not start with settings that do not fit together", async () => {
    const failure = async (env: Record<string, string>, dashboard?: string) =>
      fixture.failure(env, dashboard);
    expect(await failure({ AUTH_MODE: "token" })).to.include("it needs AUTH_MODE=jwt, not token");
    expect(await failure({}, "http://tarsy.example.com")).to.include(
      "system.dashboard_url must be the https",
    );
    expect(await failure({ AUTH_OIDC_ISSUER: "http://login.example.com" })).to.include("AUTH_OIDC_ISSUER");
    expect(await failure({ AUTH_OIDC_SCOPES: "profile" })).to.include("openid among them");
    expect(await failure({ AUTH_OIDC_CLIENT_SECRET: "short" })).to.include(
      "AUTH_OIDC_CLIENT_SECRET is too short",
    );
  });
});
