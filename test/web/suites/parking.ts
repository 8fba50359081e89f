import { expect } from "chai";
import type { WebFixture } from "../support/web-fixture.ts";

/** Needs a configuration with scripted calls that hang. */
export function parking(web: WebFixture): void {
  describe("a session that is parked", () => {
    it("says since when and by whom, with a clock that stands, and goes on by the button", async () => {
      const id = await web.client.submit("SLOW pod");
      const { page } = await web.open(`/s/${id}`);
      await page.locator(".entry .live").first().waitFor();
      await page.getByRole("button", { name: "Park", exact: true }).click();
      await page.locator(".session-header .status-dot.parked").waitFor();
      const progress = (await page.locator(".session-progress").textContent()) ?? "";
      expect(progress).to.match(/^since .*, by operator$/u);
      expect(await page.locator(".session-header .status-dot.in_progress").count()).to.equal(0);
      // Nothing in it runs: neither the stage nor its agents.
      await page.locator(".stage-head .status-dot.parked").first().waitFor();
      await page.locator(".lane-head .status-dot.parked, .lane-tabs .status-dot.parked").first().waitFor();
      expect(await page.locator(".status-dot.active, .status-dot.in_progress").count()).to.equal(0);
      await page.goto(web.url(`/s/${id}/trace`));
      await page.locator(".trace-figures .status-dot.parked").waitFor();
      await page.goto(web.url(`/s/${id}`));
      await page.clock.install();
      await page.reload();
      await page.locator(".session-header .status-dot.parked").waitFor();
      const duration = page.locator("dt", { hasText: "Duration" }).locator("xpath=../dd");
      const shown = await duration.textContent();
      await page.clock.runFor(60_000);
      expect(await duration.textContent()).to.equal(shown);
      await page.goto(web.url("/"));
      const row = page.locator(`[data-session="${id}"]`);
      await row.locator(".status-dot.parked").waitFor();
      expect(await row.locator(".session-found").textContent()).to.match(/^since .*, by operator$/u);
      await page.goto(web.url(`/s/${id}`));
      await page.getByRole("button", { name: "Resume", exact: true }).click();
      await page.locator(".session-header .status-dot.completed").waitFor();
    });
  });
}
