import { expect } from "chai";
import { MAX_PREVIEW } from "#shared/alert-preview.ts";
import { HOSTILE_TEXT } from "../support/session-script.ts";
import type { WebFixture } from "../support/web-fixture.ts";

/** Needs the configuration SESSION_CONFIG. */
export function hostileText(web: WebFixture): void {
  describe("hostile text of models, tools and alerts in the page", () => {
    it("is shown as text: it loads, runs, styles and submits nothing", async () => {
      const id = await web.finished(`HOSTILE ${HOSTILE_TEXT}`, {
        runbook: "javascript:window.hacked=9",
      });
      const { page, problems, requests } = await web.open(`/s/${id}`);
      await page.locator(".conclusion .markdown a").first().waitFor();
      await page.locator(".stage").first().waitFor();
      await page.keyboard.press("a");
      await page.keyboard.press("e");
      await page.locator(".entry .markdown a").first().waitFor();
      const origin = new URL(web.pipeline.system.api).origin;
      expect(requests.filter((url) => !url.startsWith(`${origin}/`))).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      expect(await page.evaluate("window.hacked")).to.equal(undefined);
      const inText = page.locator(".markdown, .plain-text, pre, .json");
      for (const forbidden of "img script style svg iframe form input [id] [style]".split(" ")) {
        expect(await inText.locator(forbidden).count(), forbidden).to.equal(0);
      }
      for (const link of await page.locator(".markdown a, .alert-panel a").all()) {
        const target = await link.getAttribute("href");
        // A citation leads to an entry of this page.
        if (target === null || /^#e-[\w-]+$/u.test(target)) continue;
        expect(target).to.match(/^https?:\/\//u);
        expect(await link.getAttribute("rel")).to.equal("noopener noreferrer");
      }
      const text = (await page.locator(".conclusion").textContent()) ?? "";
      expect(text).to.include("exe.<U+202E>gnp red end");
      expect(text).to.include("![x](http://127.0.0.1:9/exfiltrate?data=1)");
      const link = page.locator(".conclusion a", { hasText: "safe.example" });
      expect(await link.getAttribute("data-host")).to.equal("evil.example");
    });

    it("is laid out in bounded parts, a megabyte on one line, too", async () => {
      const id = await web.finished("x".repeat(1_000_000));
      const { page } = await web.open(`/s/${id}`, { width: 900 });
      await page.locator(".conclusion").waitFor();
      await page.keyboard.press("a");
      const shown = page.locator(".alert-panel pre");
      await shown.waitFor();
      expect((await shown.textContent())?.length).to.equal(64 * 1024);
      // The preview of the alert, and the name of the product.
      expect((await page.title()).length).to.be.lessThan(MAX_PREVIEW + 20);
    });
  });
}
