import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { traceCalls } from "../../support/trace-calls.ts";
import { until } from "../../support/until.ts";
import { axeViolations, expectAccessible, expectFits } from "../support/axe.ts";
import { seedLargeTrace } from "../support/seed-large-trace.ts";
import { seedUsage } from "../support/seed-usage.ts";
import type { WebFixture } from "../support/web-fixture.ts";

const ALERT = "INCIDENT of the checkout service";
/** Where to put pictures of all screens; none are taken without it. */
const PICTURES = process.env["WEB_SCREENSHOTS"];

/** Of the session, its own suite looks at all widths. */
const ALL_WIDTHS = [320, 900, 1_440];
/** Each screen, and what is there once it is ready. */
const SCREENS: readonly {
  name: string;
  path: (id: string) => string;
  ready: string;
  widths?: readonly number[];
}[] = [
  { name: "sessions", path: () => "/", ready: "main a[href^='/s/']", widths: ALL_WIDTHS },
  { name: "session", path: (id: string) => `/s/${id}`, ready: ".entry" },
  { name: "trace", path: (id: string) => `/s/${id}/trace`, ready: ".trace-row" },
  { name: "compare", path: (id: string) => `/compare/${id}/${id}`, ready: ".compare-same" },
  { name: "compare-choice", path: (id: string) => `/compare/${id}`, ready: "#compare-other" },
  { name: "submit", path: () => "/new", ready: "main form", widths: ALL_WIDTHS },
  { name: "system", path: () => "/system", ready: ".servers" },
  { name: "usage", path: () => "/usage", ready: ".plot" },
  { name: "triage", path: () => "/triage", ready: ".session-row", widths: ALL_WIDTHS },
  { name: "handover", path: () => "/handover", ready: ".session-row" },
  { name: "memories", path: () => "/memories", ready: ".memory-off" },
];

/** Needs the configuration SESSION_CONFIG. */
export function screens(web: WebFixture): void {
  describe("every screen of the page", () => {
    let id: string;

    before(async () => {
      await seedUsage(web.pipeline.servers, 40);
      id = await web.finished(ALERT, { alert_type: "incident" });
    });

    const picture = async (page: Page, name: string, fullPage = true) => {
      if (PICTURES === undefined) return;
      await mkdir(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage });
    };
    const focused = async (page: Page) => page.evaluate<string>("document.activeElement?.textContent ?? ''");

    for (const { name, path, ready, widths = [1_440] } of SCREENS) {
      it(`${name} has nothing that axe finds wrong, and fits a phone`, async () => {
        const { page, problems } = await web.open(path(id));
        await page.waitForSelector(ready);
        await expectAccessible(page, { widths, each: async (shown) => picture(page, `${name}-${shown}`) });
        await expectFits(page, 320);
        await picture(page, `${name}-320`);
        expect(problems).to.deep.equal([]);
      });
    }

    it("keeps the colours that the reader chose, and offers to reload once the api serves another build", async () => {
      const { page } = await web.open("/usage");
      const canvas = async () =>
        page.evaluate<string>("getComputedStyle(document.documentElement).colorScheme");
      await page.getByRole("button", { name: "System theme" }).click();
      await page.getByRole("button", { name: "Light theme" }).click();
      expect(await canvas()).to.equal("dark");
      await page.reload();
      await page.getByRole("button", { name: "Dark theme" }).waitFor();
      expect(await canvas()).to.equal("dark");
      await page.getByRole("button", { name: "Dark theme" }).click();
      expect(await page.evaluate("localStorage.length")).to.equal(0);
      await page.clock.install();
      await page.reload();
      await page.locator("#page h1").waitFor();
      await page.route(web.url("/"), (route) =>
        route.fulfill({
          contentType: "text/html",
          body: '<script type="module" src="/assets/main-2.js"></script>',
        }),
      );
      await page.clock.runFor(301_000);
      await page.getByText("TARSy was updated.").waitFor();
      expect(await page.getByRole("button", { name: "Reload" }).count()).to.equal(1);
    });

    it("shows every call in the trace, the chosen one whole", async () => {
      const { body } = await web.client.request("GET", `/api/v1/sessions/${id}/trace`);
      const { llm, tools } = traceCalls(body);
      const { page, problems } = await web.open(`/s/${id}/trace`, { height: 2_000 });
      await page.waitForSelector(".trace-row");
      await until(
        "every call has a row",
        async () =>
          (await page.locator(".trace-row.of-llm, .trace-row.of-mcp").count()) === llm.length + tools.length,
      );
      await page
        .getByRole("option", { name: /k8s\.broken .*failed/u })
        .first()
        .click();
      const detail = page.getByRole("region", { name: "Details" });
      await detail.getByText("connection refused").first().waitFor();
      await detail.getByText("10.0.0.7:9090").waitFor();
      expect(page.url()).to.match(/[?&]row=[0-9a-f-]{36}/u);
      await detail.getByRole("button", { name: "Copy as JSON" }).click();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(copied).to.include('"tool_name": "broken"');
      expect(await axeViolations(page)).to.deep.equal([]);
      await picture(page, "trace-tool-1440-light");
      await page.reload();
      await detail.getByText("connection refused").first().waitFor();
      await page.getByRole("option", { name: "LLM call" }).first().click();
      await detail.getByText("Conversation").waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await picture(page, "trace-model-1440-light");
      await page.getByLabel("Measure").selectOption("tokens");
      expect(page.url()).to.include("bars=tokens");
      await page
        .getByRole("option", { name: /k8s\.broken .*failed/u })
        .first()
        .click();
      await detail.getByRole("link", { name: "Show in session" }).click();
      await page.locator(".entry.target", { hasText: "connection refused" }).waitFor();
      expect(problems).to.deep.equal([]);
    });

    it("shows a part of the time of a trace, by dragging and by keys", async () => {
      const { page } = await web.open(`/s/${id}/trace`);
      await page.waitForSelector(".trace-row");
      const axis = await page.locator(".axis").boundingBox();
      if (axis === null) throw new Error("there is no axis");
      const y = axis.y + axis.height / 2;
      await page.mouse.move(axis.x + axis.width * 0.25, y);
      await page.mouse.down();
      await page.mouse.move(axis.x + axis.width * 0.5, y, { steps: 3 });
      await page.mouse.up();
      await page.waitForURL(/[?&]zoom=\d+-\d+/u);
      const all = page.getByRole("button", { name: "Reset zoom" });
      await all.waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.reload();
      await all.click();
      await all.waitFor({ state: "detached" });
      await page.keyboard.press("f");
      await page.keyboard.press("z");
      const chosen = page.locator(".trace-row[aria-selected=true]");
      await all.waitFor();
      const share = await chosen.evaluate((row) => {
        const [bars, bar] = [row.querySelector(".bars"), row.querySelector(".bar")];
        return (bar?.getBoundingClientRect().width ?? 0) / (bars?.getBoundingClientRect().width ?? 1);
      });
      expect(share).to.be.greaterThan(0.5);
      await page.keyboard.press("z");
      await all.waitFor({ state: "detached" });
    });

    it("has few elements for a trace of 10,000 calls, wherever the reader is", async () => {
      const large = await seedLargeTrace(web.pipeline.servers, 10_000);
      const { page } = await web.open(`/s/${large}/trace`);
      await page.waitForSelector(".trace-row");
      const shown = async () => page.locator(".trace-row").count();
      await until("rows fill the window", async () => (await shown()) >= 20);
      expect(await shown()).to.be.at.most(80);
      await page.getByRole("listbox").focus();
      await page.keyboard.press("End");
      await page.locator(".trace-row[aria-selected=true][aria-posinset='10002']").waitFor();
      expect(await shown()).to.be.within(20, 80);
    });

    it("follows the calls of a session that runs", async () => {
      const running = await web.client.submit("HANG", { alert_type: "crowd" });
      const { page } = await web.open(`/s/${running}/trace`);
      await page.getByText("Updating live").waitFor();
      await web.client.request("POST", `/api/v1/sessions/${running}/cancel`);
      await page.getByText("Cancelled", { exact: true }).first().waitFor();
      await page.getByText("Updating live").waitFor({ state: "detached" });
    });

    it("leads anywhere by keyboard alone", async () => {
      const { page, problems } = await web.open("/");
      await page.waitForSelector("main a[href^='/s/']");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("usage");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".plot");
      await page.keyboard.press("]");
      await page.waitForURL(/from=/u);
      await page.keyboard.press("?");
      const help = page.getByRole("dialog");
      await help.getByText("Longer period").waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await picture(page, "help-1440-light", false);
      await page.keyboard.press("Escape");
      await help.waitFor({ state: "detached" });
      await page.keyboard.press("Control+k");
      await page.keyboard.type(ALERT);
      await page.getByRole("option", { name: id.slice(-8), selected: true }).waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await picture(page, "palette-1440-light", false);
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/s/${id}`);
      await page.waitForSelector(".entry");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("trace");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".trace-row");
      await page.keyboard.press("f");
      await page.getByRole("region", { name: "Details" }).getByText("connection refused").first().waitFor();
      await page.keyboard.press("j");
      await until("another row is chosen", () => page.url().includes("row="));
      await page.keyboard.press("s");
      await page.waitForURL(`**/s/${id}`);
      await page.keyboard.press("Control+k");
      await page.keyboard.type("system");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".servers");
      expect(problems).to.deep.equal([]);
    });

    it("takes the key press after the one that opens a dialog", async () => {
      const { page } = await web.open("/usage");
      await page.waitForSelector(".plot");
      for (const [keys, has] of [
        [{ key: "k", ctrlKey: true }, "document.activeElement.role === 'combobox'"],
        [{ key: "?" }, "document.querySelector('dialog:modal') !== null"],
      ] as const) {
        // No frame is drawn between two key presses of a busy browser.
        const isReady = await page.evaluate<boolean>(`(async () => {
        document.body.dispatchEvent(new KeyboardEvent("keydown", { ...${JSON.stringify(keys)}, bubbles: true }));
        await new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); });
        return ${has};
      })()`);
        expect(isReady, keys.key).to.equal(true);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
    });

    it("opens what was looked for, also where Enter is pressed before it was found", async () => {
      const newest = await web.finished("a newer alert");
      const { page } = await web.open("/usage");
      await page.waitForSelector(".plot");
      const answer = Promise.withResolvers<void>();
      await page.route("**/api/v1/sessions?*search=*", async (route) => {
        await answer.promise;
        await route.continue();
      });
      await page.keyboard.press("Control+k");
      await page
        .getByRole("option", { name: newest.slice(-8) })
        .first()
        .waitFor();
      await page.keyboard.type(ALERT);
      await page.keyboard.press("Enter");
      await page.getByText("Searching…").waitFor();
      expect(new URL(page.url()).pathname).to.equal("/usage");
      answer.resolve();
      await page.waitForURL(`**/s/${id}`);
    });

    it("reaches the rows of the trace with Tab, and moves in them with arrows", async () => {
      const { page } = await web.open(`/s/${id}/trace`);
      await page.waitForSelector(".trace-row");
      const isInRows = "document.activeElement?.getAttribute('role') === 'listbox'";
      for (let presses = 0; presses < 25 && !(await page.evaluate<boolean>(isInRows)); presses += 1) {
        await page.keyboard.press("Tab");
      }
      expect(await page.evaluate<boolean>(isInRows), await focused(page)).to.equal(true);
      await page.keyboard.press("End");
      const last = page.locator(".trace-row[aria-selected=true]");
      await until(
        "the last row is chosen",
        async () => (await last.getAttribute("aria-posinset")) === (await last.getAttribute("aria-setsize")),
      );
      await page.keyboard.press("Home");
      await until("the first row is chosen", async () => (await last.getAttribute("aria-posinset")) === "1");
    });
  });
}
