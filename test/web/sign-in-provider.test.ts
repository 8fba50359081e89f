import { expect } from "chai";
import type { Page } from "playwright-core";
import { TestIdentityProvider } from "../support/identity-provider.ts";
import { itNightly } from "../support/nightly.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { describeOnPage } from "./support/describe-on-page.ts";
import { SESSION_CONFIG } from "./support/session-script.ts";

let proxy: TcpProxy;
let provider: TestIdentityProvider;
let apiPort = 0;

/** The page needs an address that is known before the api starts: that of a proxy in front of it. */
async function prepare() {
  proxy = await TcpProxy.start({ host: "127.0.0.1", port: () => apiPort });
  const page = `http://127.0.0.1:${proxy.port}`;
  const people = { ann: { preferred_username: "Ann Example", roles: ["oncall"] } };
  provider = await TestIdentityProvider.open({ page, people });
  return {
    config: { ...SESSION_CONFIG, tarsy: { ...SESSION_CONFIG.tarsy, system: { dashboard_url: page } } },
    env: { ...provider.environment, AUTH_ROLE_MAPPING: "oncall=operator" },
  };
}

describeOnPage("signing in to the page with an identity provider", prepare, (web) => {
  before(() => {
    apiPort = Number(new URL(web.pipeline.system.api).port);
  });
  after(async () => {
    await provider?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    for (const page of web.pages) await page.context().clearCookies();
  });

  const address = (path: string) => `http://127.0.0.1:${proxy.port}${path}`;
  const dialog = (page: Page) => page.getByRole("dialog", { name: "Sign in" });
  const way = (page: Page) => dialog(page).getByRole("link", { name: "Sign in" });
  /** Fills in the provider's form. */
  const fillIn = async (page: Page) => {
    await page.waitForURL(`${provider.issuer}/**`);
    await page.getByPlaceholder("Enter any login").fill("ann");
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
  };
  const open = async (path: string) => {
    const opened = await web.open(address(path));
    await opened.page.route("https://**", (route) => route.abort());
    await way(opened.page).click();
    await fillIn(opened.page);
    return opened;
  };

  it("says why a person is not let in, with a way back", async () => {
    const { page } = await open("/");
    await page.waitForSelector(".live-mark.on");
    await page.goto(address("/api/v1/auth/callback?state=x"));
    await page.getByRole("heading", { name: "Not signed in" }).waitFor();
    await page.getByText("This sign-in was begun in another browser").waitFor();
    expect(await page.evaluate("getComputedStyle(document.body).maxWidth")).to.equal("576px");
    await page.getByRole("link", { name: "Back to TARSy" }).click();
    await page.waitForSelector(".live-mark.on");
  });

  it("leads to the provider's form and back to the screen, live and by name, and out again", async () => {
    const { page } = await open("/?status=running");
    await page.waitForSelector(".live-mark.on");
    expect(page.url()).to.equal(address("/?status=running"));
    await page.locator(".shell-me", { hasText: "Ann Example · operator" }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(
      await page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('nav'))",
      ),
    ).to.equal(0);
    const cookies = await page.context().cookies(address("/"));
    const ours = cookies.filter(({ name }) => name.includes("tarsy"));
    expect(
      ours.map(({ name, httpOnly, secure, sameSite }) => [name, httpOnly, secure, sameSite]),
    ).to.deep.equal([["__Host-tarsy", true, true, "Lax"]]);
    expect(await page.evaluate("localStorage.length + document.cookie.length")).to.equal(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${provider.issuer}/session/end?**`);
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.waitForURL(address("/"));
    await way(page).waitFor();
    await page.goto(address("/triage"));
    await way(page).click();
    await page.getByPlaceholder("Enter any login").waitFor();
  });

  it("goes on with what was written where the session has ended, once another tab has signed in", async () => {
    const { page } = await open("/new");
    await page.locator("#alert-text").fill("written before the session ended");
    await web.pipeline.servers.query("DELETE FROM page_sessions", []);
    await page.getByRole("button", { name: "Start investigation" }).click();
    await dialog(page).getByText("Your session has ended.").waitFor();
    const [tab] = await Promise.all([page.context().waitForEvent("page"), way(page).click()]);
    await tab.waitForURL(address("/new"));
    await page.waitForURL(/\/s\/[0-9a-f-]{36}$/u);
    await page.getByRole("heading", { name: "written before the session ended" }).waitFor();
    await page.locator(".session-header .status-dot.completed").waitFor();
    await page.getByText("Ann Example").first().waitFor();
  });

  itNightly("closes the live connection of a session that has ended, and asks", async () => {
    const { page } = await open("/");
    await page.waitForSelector(".live-mark.on");
    const closed = page.waitForEvent("websocket").then(async (socket) => socket.waitForEvent("close"));
    await page.reload();
    await page.waitForSelector(".live-mark.on");
    const from = Date.now();
    await web.pipeline.servers.query("DELETE FROM page_sessions", []);
    await closed;
    expect(Date.now() - from).to.be.below(20_000);
    await dialog(page).getByText("Your session has ended.").waitFor();
  });
});
