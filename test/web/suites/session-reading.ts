import { expect } from "chai";
import { until } from "../../support/until.ts";
import type { WebFixture } from "../support/web-fixture.ts";

/** Needs the configuration of session.test.ts. */
export function sessionReading(web: WebFixture): void {
  describe("reading a session", () => {
    it("leads from the words of the conclusion to the line of the result that they quote, and back", async () => {
      const id = await web.finished("CITED");
      const { page, problems } = await web.open(`/s/${id}`);
      const conclusion = page.locator(".conclusion");
      const quote = conclusion.getByRole("link", { name: "line 3999 of the log of a pod" });
      const tool = conclusion.getByRole("link", { name: "k8s.broken" });
      await quote.waitFor();
      expect(await conclusion.getByRole("link").count()).to.equal(3);
      await quote.click();
      const entry = page.locator(".entry.target");
      const line = entry.locator("mark", { hasText: "line 3999 of the log of a pod that restarts" });
      await line.waitFor();
      await until("it is in view", async () =>
        line.evaluate((mark) => {
          const { top, bottom } = mark.getBoundingClientRect();
          return top > 0 && bottom < window.innerHeight;
        }),
      );
      expect(new URL(page.url()).hash).to.equal(`#${await entry.getAttribute("id")}`);
      await entry.getByRole("link", { name: "Cited in the conclusion" }).press("Enter");
      expect(await quote.evaluate((link) => link === document.activeElement)).to.equal(true);
      await tool.press("Enter");
      await page.locator(".entry.target.failed", { hasText: "connection refused" }).waitFor();
      await page.goBack();
      await line.waitFor();
      expect(problems).to.deep.equal([]);
    });

    it("shows what an alert says first, with links to the web only, also while it is investigated", async () => {
      const alert = {
        commonLabels: { alertname: "DiskFull", severity: "critical", namespace: "shop" },
        commonAnnotations: {
          summary: "HANG: the disk is full",
          runbook_url: "https://runbooks.example.com/disk",
          evil_url: "javascript:alert(1)",
        },
        alerts: [{ generatorURL: "http://prometheus.example.com/graph" }],
      };
      const id = await web.client.submit(JSON.stringify(alert));
      const { page, problems } = await web.open(`/s/${id}`);
      const panel = page.locator(".alert-panel");
      await panel.locator(".severity.grave", { hasText: "critical" }).waitFor();
      await panel.locator(".alert-summary", { hasText: "the disk is full" }).waitFor();
      expect(await panel.getByRole("list", { name: "Labels" }).textContent()).to.include("namespace shop");
      const links = panel.getByRole("list", { name: "Links" }).getByRole("link");
      expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).to.deep.equal([
        "https://runbooks.example.com/disk",
        "http://prometheus.example.com/graph",
      ]);
      expect(await links.first().getAttribute("rel")).to.include("noopener");
      expect(await panel.locator(".result").isVisible()).to.equal(false);
      await panel.getByText("Alert text").first().click();
      await panel.locator(".result").waitFor();
      await web.client.request("POST", `/api/v1/sessions/${id}/cancel`);
      expect(problems).to.deep.equal([]);
    });
  });
}
