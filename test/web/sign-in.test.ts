import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { TarsyClient } from "../support/tarsy-client.ts";
import { axeViolations } from "./support/axe.ts";
import { describeOnPage } from "./support/describe-on-page.ts";
import { SESSION_CONFIG } from "./support/session-script.ts";

const TOKEN = "the-token-of-the-tests-0123456789abcdef";
const EMPTY = "No sessions yet.";

const OPTIONS = { config: SESSION_CONFIG, env: { AUTH_MODE: "private", AUTH_TOKEN: TOKEN } };

describeOnPage("signing in to the page in the mode private", OPTIONS, (web) => {
  let client: TarsyClient;

  before(() => {
    const { api, ws } = web.pipeline.system;
    client = new TarsyClient({ api, ws, headers: { authorization: `Bearer ${TOKEN}` } });
  });
  afterEach(async () => {
    for (const page of web.pages) {
      await page.context().clearCookies();
      await page.goto(web.url("/openapi.json"));
      await page.evaluate("localStorage.clear()");
    }
  });

  const form = (page: Page) => page.getByRole("dialog", { name: "Sign in" });
  const field = (page: Page) => form(page).getByLabel("Token or API key");
  const cookies = async (page: Page) => page.context().cookies(web.pipeline.system.api);

  it("takes the token of the printed address, and leaves it nowhere", async () => {
    const { page, requests, problems } = await web.open("/system");
    await form(page).waitFor();
    await page.goto(web.url(`/#token=${TOKEN}`));
    await page.getByText(EMPTY).waitFor();
    await page.waitForSelector(".live-mark.on");
    expect(page.url()).to.equal(web.url("/"));
    expect(await page.evaluate("navigation.currentEntry.url")).to.equal(web.url("/"));
    await page.goBack();
    expect(page.url()).to.equal(web.url("/system"));
    await page.goForward();
    expect(page.url()).to.equal(web.url("/"));
    await page.getByText(EMPTY).waitFor();
    expect(requests.filter((url) => new URL(url).pathname !== "/" && url.includes(TOKEN))).to.deep.equal([]);
    expect(await page.evaluate("JSON.stringify(localStorage) + document.cookie")).not.to.include(TOKEN);
    const [cookie, ...others] = await cookies(page);
    expect(others).to.deep.equal([]);
    expect(cookie).to.include({ name: "tarsy_page", httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await page.evaluate("document.cookie")).to.equal("");
    await page.reload();
    await page.getByText(EMPTY).waitFor();
    expect(problems.filter((text) => !text.includes("401"))).to.deep.equal([]);
  });

  it("takes the token of an address that is opened in the page itself", async () => {
    const { page } = await web.open("/");
    await form(page).waitFor();
    await page.evaluate(`location.hash = "token=${TOKEN}"`);
    await page.getByText(EMPTY).waitFor();
    expect(page.url()).to.equal(web.url("/"));
  });

  it("says that a token of the address is wrong, or is none", async () => {
    for (const token of ["wrong", "%E0%A4%A", "%E2%82%AC"]) {
      const { page } = await web.open(`/#token=${token}`);
      await form(page).getByRole("alert").getByText("the token is not valid").waitFor();
      expect(page.url()).to.equal(web.url("/"));
    }
  });

  it("asks by a form once, and shows what it was asked for", async () => {
    const { page } = await web.open("/system");
    // Late answers to this first visit are not counted.
    await form(page).waitFor();
    await page.waitForLoadState("networkidle");
    let refused = 0;
    page.on("response", (response) => (refused += Number(response.status() === 401)));
    await page.reload();
    await form(page).waitFor();
    await page.waitForLoadState("networkidle");
    // Every request of the screen, once.
    expect(refused).to.be.within(1, 8);
    expect(await page.locator("#sign-in-failure").textContent()).to.equal("");
    expect(await axeViolations(page)).to.deep.equal([]);
    await field(page).fill("wrong");
    await page.keyboard.press("Enter");
    await form(page).getByRole("alert").getByText("the token is not valid").waitFor();
    await field(page).fill(TOKEN);
    await page.keyboard.press("Enter");
    await form(page).waitFor({ state: "detached" });
    await page.waitForSelector(".servers");
    expect(page.url()).to.equal(web.url("/system"));
  });

  it("lets the reader decline, and asks again when they want something", async () => {
    const { page } = await web.open("/");
    await form(page).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("alert").getByText("no token").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await form(page).waitFor();
  });

  it("signs in every open tab, and out", async () => {
    const [{ page: first }, { page: second }] = [await web.open("/"), await web.open("/")];
    for (const page of [first, second]) await form(page).waitFor();
    await field(second).fill(TOKEN);
    await form(second).getByRole("button", { name: "Sign in" }).click();
    for (const page of [first, second]) await page.getByText(EMPTY).waitFor();
    await second.getByRole("button", { name: "Sign out" }).click();
    await form(second).waitFor();
    expect(await cookies(second)).to.deep.equal([]);
    expect(await second.evaluate("localStorage.length")).to.equal(0);
    await first.reload();
    await form(first).waitFor();
  });

  it("says that a credential has ended, and goes on with a new one where it was", async () => {
    const { page } = await web.open(`/new#token=${TOKEN}`);
    await page.locator("#alert-text").fill("written before the credential ended");
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Start investigation" }).click();
    await form(page).getByRole("alert").getByText("Your token is no longer valid. Sign in again.").waitFor();
    await field(page).fill(TOKEN);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/s\/[0-9a-f-]{36}$/u);
    await page.getByRole("heading", { name: "written before the credential ended" }).waitFor();
    await page.locator(".session-header .status-dot.completed").waitFor();
  });

  it("opens no socket for who has not signed in", async () => {
    const { page } = await web.open("/");
    await form(page).waitFor();
    const socket = `new Promise((resolve) => {
      const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws");
      for (const type of ["open", "error"]) socket.addEventListener(type, () => resolve(type));
    })`;
    expect(await page.evaluate(socket)).to.equal("error");
  });

  describe("against the page of another origin of this host, which gets the cookie", () => {
    let server: Server;
    let other: string;
    const cookiesSeen: string[] = [];

    before(async () => {
      server = createServer(({ headers }, response) => {
        cookiesSeen.push(headers.cookie ?? "");
        response.setHeader("content-type", "text/html").end(
          `<form method="post" enctype="text/plain" action="${web.url("/api/v1/alerts")}">
             <input name='{"data":"forged","x":"' value='"}'></form>`,
        );
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      other = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    });
    after(() => {
      server?.closeAllConnections();
      server?.close();
    });

    it("refuses forms, requests and sockets, and tells it nothing", async () => {
      const { page } = await web.open(`/#token=${TOKEN}`);
      await page.waitForSelector(".live-mark.on");
      const before = await client.request("GET", "/api/v1/sessions");
      await page.goto(other);
      expect(cookiesSeen.at(-1)).to.include("tarsy_page=");
      const tried = await page.evaluate<string[]>(`(async () => {
        const outcome = (promise) => promise.then(({ type, status }) => type + " " + status, () => "refused");
        const api = ${JSON.stringify(web.pipeline.system.api)};
        const send = { method: "POST", credentials: "include", body: '{"data":"forged"}' };
        return [
          await outcome(fetch(api + "/api/v1/sessions", { credentials: "include" })),
          await outcome(fetch(api + "/api/v1/alerts", send)),
          await outcome(fetch(api + "/api/v1/alerts", { ...send, mode: "no-cors" })),
          await outcome(fetch(api + "/api/v1/page-session", { method: "DELETE", credentials: "include" })),
          await new Promise((resolve) => {
            const socket = new WebSocket(api.replace("http", "ws") + "/ws");
            for (const type of ["open", "error"]) socket.addEventListener(type, () => resolve(type));
          }),
        ];
      })()`);
      expect(tried).to.deep.equal(["refused", "refused", "refused", "refused", "error"]);
      await page.evaluate("document.forms[0].submit()");
      await page.waitForURL(web.url("/api/v1/alerts"));
      expect(await page.textContent("body")).to.include("are not allowed");
      const after = await client.request("GET", "/api/v1/sessions");
      expect(after.body["pagination"]).to.deep.equal(before.body["pagination"]);
      expect(JSON.stringify(after.body)).not.to.include("forged");
      await page.goto(web.url("/"));
      await page.waitForSelector(".live-mark.on");
    });
  });
});
