import { expect } from "chai";
import type { WebFixture } from "../support/web-fixture.ts";

/** Of every session of the script; only the API has it. */
const SUMMARY = "In short.";
const FOCUSED = "document.activeElement?.getAttribute('href') ?? document.activeElement?.id";

/** Needs the configuration SESSION_CONFIG. */
export function keptInPlace(web: WebFixture): void {
  describe("what stays in its place on the page", () => {
    it("is a row that does not match the filters any more, with the figures of its end", async () => {
      const id = await web.client.submit("SLOW pod");
      const { page } = await web.open("/?status=running");
      const row = page.locator(`[data-session="${id}"]`);
      await row.waitFor();
      await row.getByText("Completed", { exact: true }).waitFor();
      const { body } = await web.client.request("GET", `/api/v1/sessions/${id}`);
      expect(body).to.have.property("executive_summary", SUMMARY);
      await row.getByText(SUMMARY).waitFor();
    });

    it("is the focus, after a dialog; it goes to the content of a new screen", async () => {
      const id = await web.client.submit("HANG on a pod");
      const { page } = await web.open("/?status=running");
      await page.locator(`[data-session="${id}"]`).waitFor();
      await page.keyboard.press("j");
      expect(await page.evaluate(FOCUSED)).to.equal(`/s/${id}`);
      await page.keyboard.press("Control+k");
      await page.locator("dialog.palette").waitFor();
      await page.keyboard.press("Control+k");
      await page.locator("dialog.palette").waitFor({ state: "detached" });
      expect(await page.evaluate(FOCUSED)).to.equal(`/s/${id}`);
      await page.keyboard.press("x");
      await page.locator("dialog.confirm").waitFor();
      await page.keyboard.press("Enter");
      await page.locator("dialog.confirm").waitFor({ state: "detached" });
      expect(await page.evaluate(FOCUSED)).to.equal(`/s/${id}`);
      await page.keyboard.press("Enter");
      await page.locator(".session-title").waitFor();
      expect(await page.evaluate(FOCUSED)).to.equal("content");
      await web.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    });
  });
}
