import { expect } from "chai";
import { until } from "../../support/until.ts";
import { seedLargeSession } from "../support/seed-large-session.ts";
import type { WebFixture } from "../support/web-fixture.ts";

/** So many rows may exist at once, whatever the session's size. */
const MAX_ROWS = 400;
const PER_LANE = 3_400;

/** Needs the configuration SESSION_CONFIG. */
export function largeSession(web: WebFixture): void {
  describe("a session of ten thousand events in the page", () => {
    it("renders the entries near the view only, from the first to the last", async () => {
      const { pipeline } = web;
      const { id, added } = await seedLargeSession(pipeline.servers, pipeline.client, PER_LANE);
      expect(added).to.be.greaterThan(10_000);
      const { page, problems } = await web.open(`/s/${id}`);
      await page.locator(".connection").waitFor({ state: "detached" });
      const rows = async () => page.locator(".entry").count();
      await until("all of it is laid out", async () =>
        page.evaluate("document.documentElement.scrollHeight > 100_000"),
      );
      const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
      for (let step = 0; step <= 10; step += 1) {
        await page.evaluate(`window.scrollTo(0, document.documentElement.scrollHeight * ${step / 10})`);
        await until("entries are in view", async () =>
          page.evaluate(
            "document.elementFromPoint(200, innerHeight - 60)?.closest('.entry, .stage, .session-screen') !== null",
          ),
        );
        expect(await rows(), `at ${step} of 10`).to.be.at.most(MAX_ROWS);
      }
      expect(height).to.be.greaterThan(100_000);
      await page.keyboard.press("/");
      await page.keyboard.type(`Thought ${PER_LANE}:`);
      await page.keyboard.press("Enter");
      await page.locator(".entry.target").waitFor();
      expect(await page.locator(".entry.target").textContent()).to.include(`Thought ${PER_LANE}:`);
      expect(await rows()).to.be.at.most(MAX_ROWS);
      expect(problems).to.deep.equal([]);
    });

    it("keeps the row that has the focus while the view is elsewhere", async () => {
      const { pipeline } = web;
      const { id } = await seedLargeSession(pipeline.servers, pipeline.client, 300);
      const { page } = await web.open(`/s/${id}`);
      await page.locator(".connection").waitFor({ state: "detached" });
      await until("all of it is laid out", async () =>
        page.evaluate("document.documentElement.scrollHeight > 10_000"),
      );
      await page.evaluate("window.scrollTo(0, 1500)");
      const row = page.locator(".entry", { hasText: "Thought 40:" }).first();
      await row.locator(".entry-line").focus();
      for (const top of [4_000, 8_000, 9_500]) {
        await page.evaluate(`window.scrollTo(0, ${top})`);
        await until("the rows there exist", async () =>
          page.evaluate("document.elementFromPoint(200, innerHeight / 2)?.closest('.entry') !== null"),
        );
        expect(await page.evaluate("document.activeElement?.textContent"), `at ${top}`).to.include(
          "Thought 40:",
        );
      }
      await page.keyboard.press("Enter");
      await row.locator(".entry-body").waitFor();
      expect(await row.locator(".entry-body").textContent()).to.match(/^Thought 40:/u);
      expect(await page.locator(".entry-body", { hasText: "Thought" }).count()).to.equal(1);
    });
  });
}
