import { expect } from "chai";
import { until } from "../../support/until.ts";
import { axeViolations } from "../support/axe.ts";
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

    it("understands the addresses of the original's dashboard", async () => {
      const id = await web.finished("addressed");
      const { page: own } = await web.open(`/s/${id}`);
      const event = (await own.locator(".entry").last().getAttribute("id"))?.replace("e-", "");
      const stage = (await own.locator(".stage h2").last().getAttribute("id"))?.replace("stage-", "");
      const { page } = await web.open(`/sessions/${id}?stage=${stage}&event=${event}`);
      await page.locator(`#e-${event}.target`).waitFor();
      expect(new URL(page.url()).pathname).to.equal(`/s/${id}`);
      const { page: other } = await web.open(`/sessions/${id}?stage=${stage}`);
      await other.locator(`#stage-${stage}`).waitFor();
      expect(new URL(other.url()).hash).to.equal(`#stage-${stage}`);
      const { page: trace } = await web.open(`/sessions/${id}/trace`);
      await trace.waitForURL(`**/s/${id}/trace`);
    });

    it("asks what a reviewer found, in words too, and shows it again", async () => {
      const { page, problems } = await web.open(`/s/${await web.finished("reviewed")}`);
      await page.locator(".review-state", { hasText: "Needs review" }).waitFor();
      await page.keyboard.press("v");
      const dialog = page.getByRole("dialog", { name: "How accurate was it?" });
      await dialog.getByLabel("What was right, wrong or missing?").fill("The cause was right. <b>");
      await dialog.getByLabel("What did you do about the alert?").fill("Restarted it");
      expect(await axeViolations(page)).to.deep.equal([]);
      await dialog.getByRole("button", { name: "Accurate", exact: true }).click();
      await page.locator(".review-state", { hasText: "Reviewed" }).waitFor();
      const review = page.getByRole("region", { name: "Review", exact: true });
      expect(await review.textContent())
        .to.include("The cause was right. <b>")
        .and.include("Restarted it")
        .and.include("Accurate");
      await review.getByRole("button", { name: "Edit review" }).click();
      await dialog.getByLabel("What did you do about the alert?").fill("Nothing");
      await dialog.getByRole("button", { name: "Partially accurate" }).click();
      await review.getByText("Nothing").waitFor();
      expect(await review.textContent()).to.include("The cause was right.");
      expect(problems).to.deep.equal([]);
    });
  });
}
