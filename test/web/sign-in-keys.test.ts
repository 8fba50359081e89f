import { once } from "node:events";
import { createServer } from "node:http";
import { expect } from "chai";
import { SignJWT, exportJWK, generateKeyPair, type CryptoKey } from "jose";
import type { Page } from "playwright-core";
import { addApiKey, revokeApiKey } from "#shared/access/api-keys.ts";
import type { Role } from "#shared/access/identity.ts";
import { TarsyClient } from "../support/tarsy-client.ts";
import { until } from "../support/until.ts";
import { describeOnPage } from "./support/describe-on-page.ts";
import { SESSION_CONFIG } from "./support/session-script.ts";

const ISSUER = "https://login.example.com/";
const HEADER = "x-forwarded-access-token";

/** The provider's server of keys, on this machine. */
async function startProvider() {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" }];
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys })));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { server, privateKey, url: `http://127.0.0.1:${port}/jwks` };
}

let provider: Awaited<ReturnType<typeof startProvider>>;

async function prepare() {
  provider = await startProvider();
  const { incident } = SESSION_CONFIG.tarsy.agent_chains;
  const chains = { ...SESSION_CONFIG.tarsy.agent_chains, incident: { ...incident, teams: ["sre"] } };
  return {
    config: { ...SESSION_CONFIG, tarsy: { ...SESSION_CONFIG.tarsy, agent_chains: chains } },
    env: {
      AUTH_MODE: "jwt",
      AUTH_JWT_ISSUER: ISSUER,
      AUTH_JWT_AUDIENCE: "tarsy",
      AUTH_JWT_JWKS_URL: provider.url,
      AUTH_JWT_ALGORITHMS: "ES256",
      AUTH_JWT_HEADER: HEADER,
      AUTH_DEFAULT_ROLES: "operator",
    },
  };
}

/** A token of a person, valid from an hour ago for so many seconds from now. */
async function tokenFor(key: CryptoKey, seconds: number): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT({ sub: "ann" })
    .setProtectedHeader({ alg: "ES256", kid: "one" })
    .setIssuer(ISSUER)
    .setAudience("tarsy")
    .setIssuedAt(now - 3_600)
    .setExpirationTime(now + seconds)
    .sign(key);
}

/** API keys, beside the tokens of a provider: the mode `jwt` accepts both, and `token` the keys alone. */
describeOnPage("signing in to the page with API keys, and beside an identity provider", prepare, (web) => {
  after(() => {
    provider?.server.closeAllConnections();
    provider?.server.close();
  });
  afterEach(async () => {
    for (const page of web.pages) {
      await page.context().clearCookies();
      await page.evaluate("localStorage.clear()");
    }
  });

  const newKey = async (role: Role) =>
    addApiKey(web.pipeline.servers, { subject: role, roles: [role], teams: ["sre"], expiresInDays: 1 });
  const clientOf = (text: string) => {
    const { api, ws } = web.pipeline.system;
    return new TarsyClient({ api, ws, headers: { authorization: `Bearer ${text}` } });
  };
  const open = async (path: string) => (await web.open(path)).page;
  const form = (page: Page) => page.getByRole("dialog", { name: "Sign in" });
  const signIn = async (page: Page, text: string) => {
    await form(page).getByLabel("Token or API key").fill(text);
    await page.keyboard.press("Enter");
    await form(page).waitFor({ state: "detached" });
  };

  it("says what a viewer may not do", async () => {
    const [viewer, operator] = [await newKey("viewer"), await newKey("operator")];
    const id = await clientOf(operator.text).submit("HANG");
    const page = await open("/");
    await form(page).waitFor();
    await signIn(page, viewer.text);
    await page.locator(".shell-me", { hasText: "viewer · viewer" }).waitFor();
    expect(await page.getByRole("link", { name: "New alert" }).count()).to.equal(0);
    await page.locator(`[data-session="${id}"] .session-link`).focus();
    await page.keyboard.press("x");
    expect(await page.getByRole("button", { name: "Cancel session" }).count()).to.equal(0);
    await page.goto(web.url(`/s/${id}`));
    await page.locator(".entry .live").first().waitFor();
    await page.getByText("Only the submitter and operators can message the agents.").waitFor();
    expect(await page.getByLabel("Write a message").isDisabled()).to.equal(true);
    await page.getByRole("slider", { name: "Time" }).waitFor();
    expect(await page.getByRole("button", { name: "Fork from here" }).count()).to.equal(0);
    const offered = async () => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("button", { name: "Copy link" }).waitFor();
      return page.locator(".session-actions").locator("button, a").allTextContents();
    };
    expect(await offered()).to.deep.equal(["Trace", "…", "Copy link"]);
    await page.keyboard.press("x");
    expect(await page.getByRole("button", { name: "Cancel session" }).count()).to.equal(0);
    // Who reads the page is asked again while that fails.
    await page.clock.install();
    await page.route("**/api/v1/me", (route) => route.abort());
    const refused = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/me"));
    await page.goto(web.url("/new"));
    await refused;
    await page.unroute("**/api/v1/me");
    await page.clock.runFor(6_000);
    await page
      .getByText("Starting an investigation requires the submitter role. Your role: viewer.")
      .waitFor();
    await page.goto(web.url("/system"));
    await page.getByText("Only operators can see the configuration. Your role: viewer.").waitFor();
    expect(await form(page).count()).to.equal(0);
    await page.goto(web.url(`/s/${id}`));
    await clientOf(operator.text).request("POST", `/api/v1/sessions/${id}/cancel`);
    await page.locator(".session-header .status-dot.cancelled").waitFor();
    await page.getByText("Cancelled by operator at").waitFor();
    expect(await offered()).to.deep.equal(["Trace", "…", "Copy link", "Compare with…"]);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("new al");
    await page.getByText("No results.").waitFor();
    await page.keyboard.press("Escape");
    const outside = await addApiKey(web.pipeline.servers, {
      subject: "bob",
      roles: ["viewer"],
      teams: [],
      expiresInDays: 1,
    });
    await page.getByRole("button", { name: "Sign out" }).click();
    await form(page).waitFor();
    await signIn(page, outside.text);
    await page.locator(".shell-me", { hasText: "bob" }).waitFor();
    await page.goto(web.url("/"));
    await page.getByText("You are in no team, so no sessions are visible.").waitFor();
    expect(await page.getByRole("link", { name: "New alert" }).count()).to.equal(0);
  });

  it("tells a submitter, who may not read the configuration, the providers of a fork once one is wrong", async () => {
    const submitter = await newKey("submitter");
    const client = clientOf(submitter.text);
    const id = await client.submit("by a submitter");
    await client.waitFor(id, ["completed"]);
    const page = await open(`/s/${id}`);
    await signIn(page, submitter.text);
    await page.locator(".time-slider").getByRole("button", { name: "Fork from here" }).click();
    await page.getByLabel("LLM provider").fill("nobody");
    await page.getByRole("button", { name: "Start fork" }).click();
    await page.locator("#fork-provider-failure", { hasText: "nobody" }).waitFor();
    await page.getByLabel("LLM provider").selectOption("scripted");
    await page.getByRole("button", { name: "Start fork" }).click();
    await until("the fork is shown", () => page.url().includes("/s/") && !page.url().includes(id));
  });

  it("asks again once the key is revoked, and goes on where it was with another one", async () => {
    const [first, second] = [await newKey("operator"), await newKey("operator")];
    const page = await open("/?status=running");
    await signIn(page, first.text);
    await page.getByText("No sessions match these filters.").waitFor();
    await page.waitForSelector(".live-mark.on");
    let refused = 0;
    page.on("response", (response) => (refused += Number(response.status() === 401)));
    await revokeApiKey(web.pipeline.servers, first.id);
    const { api } = web.pipeline.system;
    const headers = { authorization: `Bearer ${first.text}` };
    await until("the api knows", async () => {
      const { status } = await fetch(`${api}/api/v1/alert-types`, { headers });
      return status === 401;
    });
    // The notifier closes the socket, and the page wants a ticket for the next one.
    await form(page).getByRole("alert").filter({ hasText: /\S/u }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(refused).to.be.within(2, 8);
    await signIn(page, second.text);
    await page.waitForSelector(".live-mark.on");
    expect(page.url()).to.equal(web.url("/?status=running"));
  });

  it("is who the provider names again when a credential of the page has ended", async () => {
    const page = await open("/usage");
    const random = "a".repeat(43);
    const value = `0123456789ab.${Date.now() + 86_400_000}.${random}`;
    await page.context().addCookies([{ name: "tarsy_page", value, url: web.url("/") }]);
    await page.evaluate(`localStorage.setItem("tarsy.page", "${random}")`);
    await page.setExtraHTTPHeaders({ [HEADER]: await tokenFor(provider.privateKey, 600) });
    await page.goto(web.url("/"));
    await page.waitForSelector(".live-mark.on");
    expect(await form(page).count()).to.equal(0);
    expect(await page.evaluate("localStorage.length")).to.equal(0);
  });

  it("says that the sign-in of the provider has ended, and does not ask by itself in a loop", async () => {
    const page = await open("/usage");
    // Nothing that the screen before still asks for is counted.
    await page.goto("about:blank");
    let refused = 0;
    page.on("response", (response) => (refused += Number(response.status() === 401)));
    await page.setExtraHTTPHeaders({ [HEADER]: await tokenFor(provider.privateKey, -600) });
    await page.goto(web.url("/"));
    await form(page).getByRole("alert").getByText("the token").waitFor();
    await page.waitForLoadState("networkidle");
    expect(refused).to.be.within(1, 8);
    await form(page).getByRole("button", { name: "Not now" }).click();
    await page.locator(".session-failure").getByText("the token").waitFor();
    await page.setExtraHTTPHeaders({ [HEADER]: await tokenFor(provider.privateKey, 600) });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".session-failure").waitFor({ state: "detached" });
    await page.waitForSelector(".live-mark.on");
  });
});
