import { expect } from "chai";
import { until } from "../../support/until.ts";
import { axeViolations } from "../support/axe.ts";
import { describeInBrowser } from "../support/describe-in-browser.ts";
import { SESSION_CONFIG } from "../support/session-script.ts";
import { WebFixture } from "../support/web-fixture.ts";

describeInBrowser("the screens Sessions and New alert, in a browser", () => {
  let web: WebFixture;

  before(async () => {
    web = await WebFixture.start({ config: SESSION_CONFIG });
  });
  after(async () => web?.[Symbol.asyncDispose]());
  afterEach(function () {
    web?.pipeline.showOutputOf(this.currentTest);
  });

  const ended = async (id: string) =>
    until(`the end of ${id}`, async () => (await web.pipeline.client.session(id)).status === "completed");

  it("start an investigation once, however often the button is pressed, and show errors at their field", async () => {
    const { page, problems } = await web.browser.open(web.url("/new"));
    await page.getByRole("button", { name: "Start the investigation" }).click();
    expect(await page.locator("#alert-text-failure").textContent()).to.equal("Write or paste the alert.");
    await page.getByLabel("Alert", { exact: true }).fill("pods of shop restart");
    await page.getByLabel("Only those chosen here").check();
    await page.getByRole("checkbox", { name: /^k8s/u }).check();
    expect(await axeViolations(page)).to.deep.equal([]);
    await page.getByRole("button", { name: "Start the investigation" }).dblclick();
    await page.waitForURL(/\/s\/[0-9a-f-]{36}$/u);
    const { pathname } = new URL(page.url());
    await ended(pathname.slice(3));
    const list = await web.pipeline.client.request("GET", "/api/v1/sessions");
    expect(list.body).to.have.nested.property("pagination.total_items", 1);
    await page.goto(web.url(`/new?from=${pathname.slice(3)}`));
    await until(
      "the alert to send again",
      async () => (await page.locator("#alert-text").inputValue()) === "pods of shop restart",
    );
    expect(problems).to.deep.equal([]);
    await page.close();
  });

  it("announce new sessions without moving rows, and follow a running one live to its end", async () => {
    const { page, problems, requests } = await web.browser.open(web.url("/"));
    await page.waitForSelector(".live-mark.on");
    const rows = page.locator("[data-session]");
    await rows.first().waitFor();
    const shown = await rows.count();
    const asked = requests.map((url) => new URL(url).pathname).filter((path) => path.startsWith("/api/"));
    // Both parts of the list, and once more after the feed began: what happened before is not in it.
    expect(asked.filter((path) => path === "/api/v1/sessions").length).to.be.at.most(4);
    expect(asked.filter((path) => path !== "/api/v1/sessions").toSorted()).to.deep.equal([
      "/api/v1/sessions/filter-options",
      "/api/v1/ws-ticket",
    ]);
    const id = await web.pipeline.client.submit("SLOW pod");
    await page.locator(".new-sessions:visible").waitFor();
    expect(await rows.count()).to.equal(shown);
    await page.keyboard.press("n");
    const row = page.locator(`[data-session="${id}"]`);
    await row.waitFor();
    await row.getByText("Completed", { exact: true }).waitFor();
    expect(problems).to.deep.equal([]);
    await page.close();
  });

  it("find and filter by the address, and go by keyboard alone", async () => {
    await ended(await web.pipeline.client.submit("etcd has lost its quorum"));
    const { page } = await web.browser.open(web.url("/"));
    const rows = page.locator("[data-session]");
    await rows.first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("etcd");
    await page.waitForURL(/search=etcd/u);
    await until("the one that matches", async () => (await rows.count()) === 1);
    await page.reload();
    await until("the one that matches", async () => (await rows.count()) === 1);
    expect(await page.getByLabel("Search", { exact: true }).inputValue()).to.equal("etcd");
    await page.keyboard.press("j");
    await page.keyboard.press("s");
    expect(await page.locator(".review-steps strong").textContent()).to.equal("1 selected");
    await page.getByRole("button", { name: "Acknowledge" }).press("Enter");
    await page.getByText("1 session changed").waitFor();
    await page.getByRole("combobox", { name: "Review" }).selectOption("needs_review");
    await page.getByText("No session matches.").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).first().click();
    await page.waitForSelector("[data-session]");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/s\/[0-9a-f-]{36}$/u);
    await page.close();
  });

  it("tell a session by its alert, and lead from the search to it", async () => {
    const { page } = await web.browser.open(web.url("/"));
    await page.waitForSelector("[data-session]");
    await page.keyboard.press("/");
    await page.keyboard.type("quorum");
    await page.waitForURL(/search=quorum/u);
    await page.getByRole("link", { name: "etcd has lost its quorum" }).waitFor();
    await until("the one that matches", async () => (await page.locator("[data-session]").count()) === 1);
    await page.keyboard.press("Enter");
    await until("it has the focus", async () => page.locator(".session-link:focus").isVisible());
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "etcd has lost its quorum" }).waitFor();
    await page.close();
  });

  it("find what the index has only later, of which no event tells", async () => {
    const id = await web.pipeline.client.submit("coredns is slow");
    await ended(id);
    const { page } = await web.browser.open(web.url("/"));
    await page.clock.install();
    await page.goto(web.url("/?search=zookeeper"));
    await page.waitForSelector(".live-mark.on");
    // The list is read once more behind the subscription.
    const again = page.waitForResponse(/\/api\/v1\/sessions\?.*search=/u);
    await page.clock.runFor(1_500);
    await (await again).finished();
    await page.getByText("No session matches.").waitFor();
    await web.pipeline.servers.query(
      `INSERT INTO session_texts (session_id, kind, content) VALUES ($1, 'alert', 'coredns and zookeeper')
       ON CONFLICT (session_id, kind) DO UPDATE SET content = EXCLUDED.content`,
      [id],
    );
    await page.clock.runFor(10_000);
    await page.locator(`[data-session="${id}"]`).waitFor();
    await page.close();
  });

  it("say which session waits for a decision", async () => {
    const { page } = await web.browser.open(web.url("/?status=running"));
    const id = await web.pipeline.client.submit("REMOVE it", { alert_type: "act" });
    const row = page.locator(`[data-session="${id}"]`);
    await until("the row is there", async () => {
      await page.keyboard.press("n");
      return row.isVisible();
    });
    await row.getByText("Waits for your decision").waitFor();
    await page.reload();
    await row.getByText("Waits for your decision").waitFor();
    await web.pipeline.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await row.getByText("Waits for your decision").waitFor({ state: "detached" });
    await page.close();
  });

  it("keep what is typed while the address follows", async () => {
    const { page } = await web.browser.open(web.url("/"));
    await page.getByLabel("Search", { exact: true }).fill("etc");
    // Types one letter more in the moment in which the first three are applied.
    await page.evaluate(`new Promise((resolve) => {
      const field = document.querySelector("input[type=search]");
      const replace = history.replaceState;
      const push = history.pushState;
      const typing = (change) => (...args) => {
        Object.assign(history, { replaceState: replace, pushState: push });
        change.apply(history, args);
        queueMicrotask(() => {
          field.value += "d";
          field.dispatchEvent(new InputEvent("input", { bubbles: true }));
          resolve();
        });
      };
      Object.assign(history, { replaceState: typing(replace), pushState: typing(push) });
    })`);
    await page.waitForURL(/search=etcd/u);
    expect(await page.getByLabel("Search", { exact: true }).inputValue()).to.equal("etcd");
    await page.close();
  });

  it("keep an alert that is written while the one to send again is read", async () => {
    const id = await web.pipeline.client.submit("an alert to send again");
    const { page } = await web.browser.open(web.url("/usage"));
    const read = Promise.withResolvers<void>();
    await page.route(`**/api/v1/sessions/${id}`, async (route) => {
      await read.promise;
      await route.continue();
    });
    await page.goto(web.url(`/new?from=${id}`));
    await page.locator("#alert-text").fill("written meanwhile");
    const answered = page.waitForResponse(`**/api/v1/sessions/${id}`);
    read.resolve();
    await (await answered).finished();
    // The page has taken that answer once it has read a later one.
    await page.evaluate(`fetch("/api/v1/sessions/${id}").then((later) => later.json())`);
    expect(await page.locator("#alert-text").inputValue()).to.equal("written meanwhile");
    await page.close();
  });

  it("cancel a running session after a question", async () => {
    const id = await web.pipeline.client.submit("HANG now");
    const { page } = await web.browser.open(web.url("/?status=running"));
    await page.locator(`[data-session="${id}"]`).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Cancel the session" }).click();
    await page.locator(`[data-session="${id}"]`).getByText("Cancelled", { exact: true }).waitFor();
    await page.close();
  });

  it("say why the list cannot be read, and try again", async () => {
    const { page } = await web.browser.open(web.url("/usage"));
    await page.route("**/api/v1/sessions?*", (route) => route.abort());
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("alert").getByText("could not be read").waitFor();
    await page.unroute("**/api/v1/sessions?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForSelector("[data-session]");
    await page.close();
  });

  it("have no violation of accessibility, and no sideways scrolling, at any width and in both schemes", async () => {
    for (const path of ["/", "/new"]) {
      for (const width of [320, 900, 1_440]) {
        for (const scheme of ["light", "dark"] as const) {
          const { page, problems } = await web.browser.open(web.url(path), { width, scheme });
          await page.waitForSelector(path === "/" ? "[data-session]" : "#alert-text");
          expect(await axeViolations(page), `${path} ${width} ${scheme}`).to.deep.equal([]);
          expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(width);
          expect(problems).to.deep.equal([]);
          const shots = process.env["WEB_SCREENSHOTS"];
          const name = `${path === "/" ? "sessions" : "new"}-${width}-${scheme}`;
          if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
          await page.close();
        }
      }
    }
  });
});
