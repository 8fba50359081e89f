import { expect } from "chai";
import { until } from "../../support/until.ts";
import { axeViolations } from "../support/axe.ts";
import type { WebFixture } from "../support/web-fixture.ts";

/** Needs the configuration SESSION_CONFIG, and that there is no session yet. */
export function sessionsScreen(web: WebFixture): void {
  describe("the screens Sessions and New alert, in a browser", () => {
    const ended = async (id: string) =>
      until(`the end of ${id}`, async () => (await web.client.session(id)).status === "completed");

    it("start an investigation once, however often the button is pressed, and show errors at their field", async () => {
      const { page, problems } = await web.open("/new");
      await page.getByRole("button", { name: "Start investigation" }).click();
      expect(await page.locator("#alert-text-failure").textContent()).to.equal("Enter an alert.");
      await page.getByLabel("Alert", { exact: true }).fill("pods of shop restart");
      await page.getByLabel("Choose tools").check();
      await page.getByRole("checkbox", { name: /^k8s/u }).check();
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.getByRole("button", { name: "Start investigation" }).dblclick();
      await page.waitForURL(/\/s\/[0-9a-f-]{36}$/u);
      const { pathname } = new URL(page.url());
      await ended(pathname.slice(3));
      const list = await web.client.request("GET", "/api/v1/sessions");
      expect(list.body).to.have.nested.property("pagination.total_items", 1);
      await page.goto(web.url(`/new?from=${pathname.slice(3)}`));
      await until(
        "the alert to send again",
        async () => (await page.locator("#alert-text").inputValue()) === "pods of shop restart",
      );
      expect(problems).to.deep.equal([]);
    });

    it("announce new sessions without moving rows, and follow a running one live to its end", async () => {
      const { page, problems, requests } = await web.open("/");
      await page.waitForSelector(".live-mark.on");
      const rows = page.locator("[data-session]");
      await rows.first().waitFor();
      const shown = await rows.count();
      const asked = requests.map((url) => new URL(url).pathname).filter((path) => path.startsWith("/api/"));
      // Both parts of the list, and once more after the feed began: what happened before is not in it. The menu counts what needs a person.
      expect(asked.filter((path) => path === "/api/v1/sessions").length).to.be.at.most(5);
      expect(asked.filter((path) => path !== "/api/v1/sessions").toSorted()).to.deep.equal([
        "/api/v1/me",
        "/api/v1/ws-ticket",
      ]);
      const id = await web.client.submit("SLOW pod");
      await page.locator(".new-sessions:visible").waitFor();
      expect(await rows.count()).to.equal(shown);
      await page.keyboard.press("n");
      const row = page.locator(`[data-session="${id}"]`);
      await row.waitFor();
      await row.getByText("Completed", { exact: true }).waitFor();
      expect(problems).to.deep.equal([]);
    });

    it("find and filter by the address, and go by keyboard alone", async () => {
      await ended(await web.client.submit("etcd has lost its quorum"));
      const { page } = await web.open("/");
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
      await page.getByText("1 session updated").waitFor();
      await page.getByRole("button", { name: "Filters" }).click();
      await page.getByRole("combobox", { name: "Review" }).selectOption("needs_review");
      await page.getByText("No sessions match these filters.").waitFor();
      await page.getByRole("button", { name: "Filters (1)" }).waitFor();
      await page.getByRole("button", { name: "Review: Needs review" }).click();
      await page.getByRole("button", { name: "Filters", exact: true }).waitFor();
      await until("the one that matches", async () => (await rows.count()) === 1);
      await page.getByRole("button", { name: "Last night" }).click();
      await page.waitForURL(/time=night/u);
      await page.getByRole("link", { name: "Clear filters" }).first().click();
      await page.waitForSelector("[data-session]");
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/s\/[0-9a-f-]{36}$/u);
    });

    it("compare two that are selected, and lead to a comparison from the palette", async () => {
      const { page } = await web.open("/");
      await page.waitForSelector("[data-session]");
      await page.locator(".session-select input:visible").nth(0).check();
      await page.locator(".session-select input:visible").nth(1).check();
      await page.getByRole("link", { name: "Compare" }).click();
      await page.waitForURL(/\/compare\/[0-9a-f-]{36}\/[0-9a-f-]{36}$/u);
      await page.getByRole("heading", { name: "Conclusions" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("compare two");
      await page.getByRole("option", { name: "Compare two sessions" }).click();
      await page.getByLabel("First session").waitFor();
    });

    it("tell a session by its alert, and lead from the search to it", async () => {
      const { page } = await web.open("/");
      await page.waitForSelector("[data-session]");
      await page.keyboard.press("/");
      await page.keyboard.type("quorum");
      await page.waitForURL(/search=quorum/u);
      await page.getByRole("link", { name: "etcd has lost its quorum" }).waitFor();
      await until("the one that matches", async () => (await page.locator("[data-session]").count()) === 1);
      await page.keyboard.press("Enter");
      await until("it has the focus", async () => page.locator(".session-link:focus").isVisible());
      expect(await page.locator(".session-found mark").textContent()).to.equal("quorum");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "etcd has lost its quorum" }).waitFor();
    });

    it("find what the index has only later, of which no event tells", async () => {
      const id = await web.client.submit("coredns is slow");
      await ended(id);
      const { page } = await web.open("/");
      await page.clock.install();
      await page.goto(web.url("/?search=zookeeper"));
      await page.waitForSelector(".live-mark.on");
      // The list is read once more behind the subscription.
      const again = page.waitForResponse(/\/api\/v1\/sessions\?.*search=/u);
      await page.clock.runFor(1_500);
      await again;
      await page.getByText("No sessions match these filters.").waitFor();
      await web.pipeline.servers.query(
        `INSERT INTO session_texts (session_id, kind, content) VALUES ($1, 'alert', 'coredns and zookeeper')
       ON CONFLICT (session_id, kind) DO UPDATE SET content = EXCLUDED.content`,
        [id],
      );
      await page.clock.runFor(10_000);
      await page.locator(`[data-session="${id}"]`).waitFor();
    });

    it("say which session waits for a decision", async () => {
      const { page } = await web.open("/?status=running");
      const id = await web.client.submit("REMOVE it", { alert_type: "act" });
      const row = page.locator(`[data-session="${id}"]`);
      await until("the row is there", async () => {
        await page.keyboard.press("n");
        return row.isVisible();
      });
      await row.getByText("Needs approval").waitFor();
      const state = row.locator(".status-dot");
      expect(await state.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).to.equal(0);
      await page.reload();
      await row.getByText("Needs approval").waitFor();
      await web.client.request("POST", `/api/v1/sessions/${id}/cancel`);
      await row.getByText("Needs approval").waitFor({ state: "detached" });
    });

    it("put a session first whose provider keeps failing, and say so, with the labels of its alert", async () => {
      const labels = { severity: "critical", namespace: "shop" };
      const id = await web.client.submit(JSON.stringify({ title: "REMOVE the queue", labels }), {
        alert_type: "act",
      });
      await web.client.waitFor(await web.client.submit("HANG later"), ["in_progress"]);
      // While it waits for a decision no executor has it; the rows say that the provider fails instead.
      await until("it waits", async () => {
        const changed = await web.pipeline.servers.query(
          `UPDATE approvals a SET state = 'denied' FROM session_runtime r
           WHERE a.session_id = $1 AND r.session_id = $1 AND r.waiting_for IS NOT NULL AND r.lease_owner IS NULL RETURNING 1`,
          [id],
        );
        return changed.length > 0;
      });
      const { page } = await web.open("/");
      await page.clock.install();
      await page.goto(web.url("/?status=attention"));
      await page.waitForSelector(".live-mark.on");
      // The list is read once more behind the subscription.
      const again = page.waitForResponse(/\/api\/v1\/sessions\?.*status=/u);
      await page.clock.runFor(1_500);
      await again;
      await page.getByText("No sessions match these filters.").waitFor();
      await web.pipeline.servers.query(
        `UPDATE agent_executions SET iteration_state = iteration_state || '{"consecutive_failures": 22, "last_error": "HTTP 500"}'
         WHERE session_id = $1 AND status = 'active'`,
        [id],
      );
      // Of a provider that fails no event tells.
      const row = page.locator("[data-session]").first();
      await page.clock.runFor(11_000);
      await row.locator(".status-dot.failing").waitFor();
      expect(await row.locator(".session-found").textContent()).to.equal(
        "provider 'scripted': HTTP 500, 22 tries",
      );
      expect(await row.locator(".session-label").allTextContents()).to.deep.equal([
        "severity critical",
        "namespace shop",
      ]);
      await until("the title counts it", async () => (await page.title()).startsWith("(1) "));
      await page.getByRole("navigation").getByRole("link", { name: "(1) Triage" }).waitFor();
      await page.getByRole("button", { name: "Status: Needs attention" }).click();
      await page.getByText("HANG later").waitFor();
      expect(await row.getAttribute("data-session")).to.equal(id);
      // It is behind the first page of those that run, of which the list asks for those that need a person.
      const sizes = (url: string) => url.replace("page_size=50", "page_size=1");
      await page.route("**/api/v1/sessions?*", (route) =>
        route.continue({ url: sizes(route.request().url()) }),
      );
      await page.reload();
      await page.getByText("HANG later").waitFor();
      expect(await page.getByRole("region", { name: "Running" }).locator("[data-session]").count()).to.equal(
        2,
      );
      expect(await row.getAttribute("data-session")).to.equal(id);
      await page.unroute("**/api/v1/sessions?*");
      await page.reload();
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.getByRole("link", { name: "HANG later" }).click();
      await page.locator(".session-header .status-dot.in_progress").waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("cancel");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Cancel session" }).click();
      await page.locator(".session-header .status-dot.cancelled").waitFor();
      await web.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    });

    it("keep what is typed while the address follows", async () => {
      const { page } = await web.open("/");
      const search = page.getByLabel("Search", { exact: true });
      // Types one letter more in the moment in which the first three are applied.
      await page.evaluate(`(() => {
      const field = document.querySelector("input[type=search]");
      const replace = history.replaceState;
      const push = history.pushState;
      const typing = (change) => (...args) => {
        Object.assign(history, { replaceState: replace, pushState: push });
        change.apply(history, args);
        queueMicrotask(() => {
          field.value += "d";
          field.dispatchEvent(new InputEvent("input", { bubbles: true }));
        });
      };
      Object.assign(history, { replaceState: typing(replace), pushState: typing(push) });
    })()`);
      await search.fill("etc");
      await page.waitForURL(/search=etcd/u);
      expect(await search.inputValue()).to.equal("etcd");
    });

    it("keep an alert that is written while the one to send again is read", async () => {
      const id = await web.client.submit("an alert to send again");
      const { page } = await web.open("/usage");
      const read = Promise.withResolvers<void>();
      await page.route(`**/api/v1/sessions/${id}/overview`, async (route) => {
        await read.promise;
        await route.continue();
      });
      await page.goto(web.url(`/new?from=${id}`));
      await page.locator("#alert-text").fill("written meanwhile");
      const answered = page.waitForResponse(`**/api/v1/sessions/${id}/overview`);
      read.resolve();
      await answered;
      // The page has taken that answer once it has read a later one.
      await page.evaluate(`fetch("/api/v1/sessions/${id}/overview").then((later) => later.json())`);
      expect(await page.locator("#alert-text").inputValue()).to.equal("written meanwhile");
    });

    it("cancel a running session after a question", async () => {
      const id = await web.client.submit("HANG now");
      const { page } = await web.open("/?status=running");
      const row = page.locator(`[data-session="${id}"]`);
      await row.getByText(/Stage 1 of \d/u).waitFor();
      const other = await web.open(`/s/${id}`);
      const progress = other.page.locator(".session-progress");
      await progress.getByText("running").waitFor();
      await until("list and page say the same", async () => {
        const found = await row.locator(".session-found").textContent();
        return (await progress.textContent())?.startsWith(found ?? "-") === true;
      });
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      await page.getByRole("button", { name: "Cancel session" }).click();
      await row.getByText("Cancelled", { exact: true }).waitFor();
      await row.getByText(/^Cancelled by operator at \d\d:\d\d/u).waitFor();
      const conclusion = other.page.locator(".conclusion");
      await conclusion.getByText(/^Cancelled by operator at \d\d:\d\d/u).waitFor();
      expect(await other.page.getByText("cancelled by the user").count()).to.equal(0);
    });

    it("say why the list cannot be read, and try again", async () => {
      const { page } = await web.open("/usage");
      await page.route("**/api/v1/sessions?*", (route) => route.abort());
      await page.getByRole("link", { name: "Sessions" }).click();
      await page.getByRole("alert").getByText("Could not load").waitFor();
      await page.unroute("**/api/v1/sessions?*");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.waitForSelector("[data-session]");
    });
  });
}
