import { expect } from "chai";
import { until } from "../../support/until.ts";
import { axeViolations } from "../support/axe.ts";
import type { WebFixture } from "../support/web-fixture.ts";

/** Needs the configuration SESSION_CONFIG. */
export function triage(web: WebFixture): void {
  describe("triage, handover and usage, in a browser", () => {
    it("are gone through by keys", async () => {
      const id = await web.finished("the certificate of shop expires");
      const { page, problems } = await web.open("/");
      await page.getByRole("link", { name: "Triage" }).click();
      const row = (group: string) =>
        page.getByRole("region", { name: group }).locator(`[data-session="${id}"]`);
      await row("Needs review").locator(".session-link").focus();
      // Another person is quicker than what the page knows.
      const body = JSON.stringify({ session_ids: [id], action: "claim" });
      const headers = { "content-type": "application/json", "x-forwarded-user": "amy" };
      await fetch(web.url("/api/v1/sessions/review"), { method: "PATCH", headers, body });
      await page.keyboard.press("c");
      await page
        .getByRole("alert")
        .getByText(/amy has claimed this since \d\d:\d\d UTC/u)
        .waitFor();
      await row("In review").getByText("In review · amy").waitFor();
      await row("In review").getByRole("button", { name: "Release" }).click();
      await page.getByRole("heading", { name: "Release the claim of amy?" }).waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
      await row("Needs review").locator(".session-link").focus();
      await page.keyboard.press("c");
      await row("In review").getByText("In review · operator").waitFor();
      await row("In review").getByRole("button", { name: "Release" }).click();
      await row("Needs review").waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("handover");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Handover" }).waitFor();
      await page.locator(`[data-session="${id}"]`).waitFor();
      await page.keyboard.press("c");
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(copied).to.include(`[the certificate of shop expires](${web.url(`/s/${id}`)})** – Completed`);
      await page.goto(web.url(`/s/${id}`));
      await page.locator(".session-header .status-dot.completed").waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("copy link");
      await page.getByRole("option", { name: "Copy link" }).waitFor();
      await page.keyboard.press("Enter");
      await until("it is copied", async () => {
        const link = await page.evaluate<string>("navigator.clipboard.readText()");
        return link === web.url(`/s/${id}`);
      });
      // The answer to the one who was slower.
      expect(problems.filter((text) => !text.includes("409 (Conflict)"))).to.deep.equal([]);
    });

    it("shows what is used of a budget, with its limit", async () => {
      const { servers } = web.pipeline;
      await servers.query(
        "INSERT INTO budgets (scope, key, period, limit_calls, soft_ratio, set_by) VALUES ('day', '*', 'day', 900000, 0.8, 'amy')",
        [],
      );
      const { page } = await web.open("/usage");
      const budgets = page.locator("dl[aria-label=Budgets]");
      await budgets.getByText(/^\S+ calls of 900k calls$/u).waitFor();
      expect(await budgets.getByRole("meter", { name: "Budget, today" }).getAttribute("max")).to.equal(
        "900000",
      );
      expect(await axeViolations(page)).to.deep.equal([]);
      await servers.query("DELETE FROM budgets", []);
      await page.reload();
      await page.waitForSelector(".plot");
      expect(await budgets.count()).to.equal(0);
    });
  });
}
