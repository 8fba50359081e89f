import { expect } from "chai";
import { TestIdentityProvider } from "../../../test/support/identity-provider.ts";
import { until } from "../../../test/support/until.ts";
import { ask, PAGE, PEOPLE, refused, SignInFixture } from "./sign-in-fixture.ts";

describe("signing in to the page with an identity provider", () => {
  let fixture: SignInFixture;

  before(async () => {
    fixture = await SignInFixture.start();
  });
  after(async () => fixture[Symbol.asyncDispose]());

  it("lets a person in with the roles and teams of the claims, and leads back", async () => {
    const browser = fixture.browser();
    const response = await browser.send(await fixture.toCallback(browser));
    expect(response.headers.get("location")).to.equal(`${PAGE}/triage?x=1#y`);
    const [flow, session] = response.headers.getSetCookie();
    expect(flow).to.match(
      /^tarsy_flow_[\w-]{43}=; Path=\/api\/v1\/auth; Max-Age=0; HttpOnly; Secure; SameSite=Lax$/u,
    );
    expect(session).to.match(
      /^__Host-tarsy=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Lax$/u,
    );
    const { body } = await ask(browser, "me");
    expect(body).to.include({ name: "Ann", role: "operator", signed_in: true });
    expect(body).to.have.deep.property("teams", ["sre", "platform"]);
    const { body: denied } = await ask(browser, "audit");
    expect(denied).to.have.property("message").that.includes("'ann' has role operator");
  });

  it("counts what the page sends as that person's: author, reviewer, audit, and limits", async () => {
    const browser = await fixture.signedIn();
    const post = async (path: string, fields: object, method = "POST") =>
      ask(browser, path, {
        method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(fields),
      });
    const submitted = async () => {
      const sent = await post("alerts", { data: "x" });
      expect(sent.status).to.equal(202);
      return /"session_id":"([^"]+)"/u.exec(JSON.stringify(sent.body))?.[1] ?? "";
    };
    const [cancelled, ended] = [await submitted(), await submitted()];
    expect(await fixture.api.sessionRow("author, owner_subject", ended)).to.deep.equal({
      author: "Ann",
      owner_subject: "jwt:ann",
    });
    expect((await post("alerts", { data: "x" })).status, "more than a fifth of ten").to.equal(429);
    expect((await post(`sessions/${cancelled}/cancel`, {})).status).to.equal(200);
    const end = "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1";
    await fixture.api.db.query(end, [ended]);
    const review = { session_ids: [ended], action: "claim" };
    expect((await post("sessions/review", review, "PATCH")).status).to.equal(200);
    expect(await fixture.api.sessionRow("assignee", ended)).to.deep.equal({ assignee: "Ann" });
    await until("the audit log names the person", async () => {
      const rows = await fixture.api.db.query(
        "SELECT action, subject, via FROM audit_log WHERE via = 'jwt'",
        [],
      );
      return ["page.sign_in", "session.cancel", "session.review"].every((action) =>
        JSON.stringify(rows).includes(`{"action":"${action}","subject":"ann","via":"jwt"}`),
      );
    });
  });

  it("asks userinfo for what is not in the ID token", async () => {
    await using quiet = await TestIdentityProvider.open({ page: PAGE, people: PEOPLE, onlyInUserinfo: true });
    const browser = await fixture.signedIn(await fixture.replica(quiet));
    const { body } = await ask(browser, "me");
    expect(body)
      .to.include({ name: "Ann", role: "operator" })
      .and.deep.include({ teams: ["sre", "platform"] });
  });

  it("lets two tabs of a browser sign in at once, and keeps few cookies of those that were left", async () => {
    const browser = fixture.browser();
    const first = await fixture.toCallback(browser);
    const second = await fixture.toCallback(browser);
    for (const callback of [second, first]) expect((await browser.send(callback)).status).to.equal(302);
    for (let n = 0; n < 12; n += 1) await browser.send(`${PAGE}/api/v1/auth/login`);
    expect(
      [...browser.cookiesOf(PAGE).keys()].filter((name) => name.startsWith("tarsy_flow_")),
    ).to.have.length(5);
  });

  it("is begun at one api, finished at another, and ends at both", async () => {
    const browser = fixture.browser();
    const callback = await fixture.toCallback(browser);
    const elsewhere = fixture.browser(await fixture.replica());
    for (const [name, value] of browser.cookiesOf(PAGE)) elsewhere.cookiesOf(PAGE).set(name, value);
    expect((await elsewhere.send(callback)).status).to.equal(302);
    for (const [name, value] of elsewhere.cookiesOf(PAGE)) browser.cookiesOf(PAGE).set(name, value);
    expect((await ask(browser, "me")).status).to.equal(200);
    const cookies = new Map(browser.cookiesOf(PAGE));
    const { status, body } = await ask(browser, "auth/logout", { method: "POST" });
    expect(status).to.equal(200);
    expect(browser.cookiesOf(PAGE).has("__Host-tarsy")).to.equal(false);
    for (const [name, value] of cookies) elsewhere.cookiesOf(PAGE).set(name, value);
    expect((await ask(elsewhere, "me")).body).to.include({ code: "sign_in" });
    const url = new URL(/"url":"([^"]+)"/u.exec(JSON.stringify(body))?.[1] ?? "");
    expect(url.origin).to.equal(fixture.provider.issuer);
    expect(url.searchParams.get("post_logout_redirect_uri")).to.equal(`${PAGE}/`);
    expect(url.searchParams.get("id_token_hint")?.split(".")).to.have.length(3);
    expect((await browser.send(url.href)).status, "the provider knows the hint").to.equal(200);
    const { body: twice } = await ask(browser, "auth/logout", { method: "POST" });
    expect(twice).to.deep.equal({ url: `${PAGE}/` });
  });

  it("ends after its time, and the row is removed", async () => {
    const browser = await fixture.signedIn();
    await fixture.api.db.query("UPDATE page_sessions SET expires_at = now()", []);
    const { status, body } = await ask(browser, "me");
    expect([status, body]).to.deep.include(401).and.to.deep.include({
      message: "no token: send one as `Authorization: Bearer …`",
      code: "sign_in",
    });
    fixture.api.cleanUp();
    await until("the row is removed", async () => {
      const rows = await fixture.api.db.query("SELECT 1 FROM page_sessions", []);
      return rows.length === 0;
    });
  });

  it("has neither the cookie nor a token of the provider in the database", async () => {
    const browser = await fixture.signedIn();
    const rows = JSON.stringify(await fixture.api.db.query("SELECT * FROM page_sessions", []));
    expect(rows).not.to.include(browser.cookiesOf(PAGE).get("__Host-tarsy") ?? "?");
    expect(rows).not.to.match(/"id_token":"[^"]*eyJhbGciOiJSUzI1NiI/u);
  });

  it("answers 503 with a sentence while the provider is away, and goes on when it is back", async () => {
    const fresh = await fixture.replica();
    const browser = fixture.browser(fresh);
    const away = /identity provider does not answer: try again in a moment/u;
    const login = `${PAGE}/api/v1/auth/login`;
    for (const outage of ["cut", "broken"] as const) {
      fixture.provider.outage = outage;
      await refused(await browser.send(login), 503, away);
      const page = await browser.send(login, { headers: { accept: "text/html,*/*" } });
      await refused(page, 503, /The identity provider/u);
    }
    fixture.provider.outage = "none";
    const callback = await fixture.toCallback(browser);
    for (const outage of ["cut", "broken"] as const) {
      fixture.provider.outage = outage;
      await refused(await browser.send(callback), 503, away);
    }
    fixture.provider.outage = "none";
    expect((await browser.send(callback)).status).to.equal(302);
    expect((await ask(browser, "me")).status).to.equal(200);
  });
});
