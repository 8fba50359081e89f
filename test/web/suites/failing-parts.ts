import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "../../support/until.ts";
import { axeViolations } from "../support/axe.ts";
import { QUOTES } from "../support/session-script.ts";
import type { WebFixture } from "../support/web-fixture.ts";

/** Needs the configuration SESSION_CONFIG. */
export function failingParts(web: WebFixture): void {
  describe("a page of which a part cannot be shown", () => {
    it("shows Markdown that is made to stop it as it was written", async () => {
      const id = await web.finished("QUOTES");
      const { page, problems } = await web.open(`/s/${id}`);
      const text = page.locator(".conclusion .markdown").last();
      await page.locator(".conclusion .markdown", { hasText: "QUOTES" }).last().waitFor();
      expect(await text.textContent()).to.equal(QUOTES);
      expect(problems).to.deep.equal([]);
    });

    it("reads a trace again of which a reading has failed", async () => {
      const running = await web.client.submit("HANG for a trace");
      const { page } = await web.open(`/s/${running}/trace`);
      await page.waitForSelector(".trace-row");
      await page.clock.install();
      const pattern = `**/api/v1/sessions/${running}/trace`;
      await page.route(pattern, (route) => route.abort());
      let failed = 0;
      page.on("requestfailed", (request) => (failed += request.url().endsWith("/trace") ? 1 : 0));
      await web.client.request("POST", `/api/v1/sessions/${running}/cancel`);
      // Events tell of the change once.
      await until("a reading fails", async () => {
        await page.clock.runFor(1_000);
        return failed > 0;
      });
      await until("it has ended", async () => (await web.client.session(running)).status === "cancelled");
      await page.unroute(pattern);
      await page.clock.runFor(11_000);
      await page.locator(".trace-figures .status-dot.cancelled").waitFor();
    });

    for (const path of ["/s/%", "/s/%E0%A4%A/trace"]) {
      it(`says that there is no page at ${path}, which is no encoded text`, async () => {
        const { page, problems } = await web.open(path);
        await page.getByRole("heading", { name: "Page not found" }).waitFor();
        expect(problems).to.deep.equal([]);
      });
    }

    it("says that there is no page at an unknown address", async () => {
      const { page } = await web.open("/nowhere/at/all");
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.getByRole("link", { name: "All sessions" }).click();
      await page.waitForURL(web.url("/"));
      const gone = await web.open(`/s/${randomUUID()}`);
      await gone.page.getByText("Session not found, or you have no access.").waitFor();
      await gone.page.getByRole("link", { name: "All sessions" }).waitFor();
    });

    it("appears at an address with a token that is no encoded text", async () => {
      const { page } = await web.open("/#token=%");
      await page.locator("main").waitFor();
      expect(new URL(page.url()).hash).to.equal("");
    });

    it("offers to load the page again if the file of a screen is gone", async () => {
      const { page } = await web.open("/");
      await page.locator("h1").waitFor();
      await page.route("**/assets/**", (route) => route.abort());
      await page.getByRole("link", { name: "Usage" }).click();
      const offer = page.getByRole("button", { name: "Reload" });
      await offer.waitFor();
      await page.unroute("**/assets/**");
      await offer.click();
      await page.locator(".usage-screen").waitFor();
    });
  });
}
