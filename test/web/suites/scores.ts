import { expect } from "chai";
import type { Page } from "playwright-core";
import { until } from "../../support/until.ts";
import { axeViolations, expectAccessible } from "../support/axe.ts";
import type { WebFixture } from "../support/web-fixture.ts";

/** Needs the configuration of after-the-end.test.ts. */
export function scores(web: WebFixture): void {
  describe("scores of sessions", () => {
    const scored = async (alert: string, status = "completed") => {
      const id = await web.finished(alert);
      await web.client.request("POST", `/api/v1/sessions/${id}/score`);
      await until(`the scoring is ${status}`, async () => {
        const { body } = await web.client.request("GET", `/api/v1/sessions/${id}`);
        return body["scoring_status"] === status;
      });
      return id;
    };
    const panel = (page: Page) => page.getByRole("region", { name: "Score", exact: true });
    const button = (page: Page, name: string) => panel(page).getByRole("button", { name, exact: true });

    it("are asked for, followed, shown with what the judge wrote, and asked for again", async () => {
      const id = await web.finished("an alert");
      const { page, problems } = await web.open(`/s/${id}`);
      await panel(page).getByText("Not scored yet").waitFor();
      const status = page.locator(".session-state > .status-dot");
      await button(page, "Score").press("Enter");
      await panel(page).getByText("The judge is reading the investigation…").waitFor();
      expect(await status.textContent()).to.include("Completed");
      await page.reload();
      await panel(page).getByText("72 of 100: correct and useful").waitFor();
      await panel(page).getByText("incomplete evidence").waitFor();
      await panel(page).getByText("Judge's analysis").click();
      await panel(page).locator(".markdown strong", { hasText: "closely" }).first().waitFor();
      await panel(page).getByText("Tool gaps").click();
      await panel(page).locator(".markdown strong", { hasText: "limits" }).waitFor();
      expect(await panel(page).textContent()).to.match(/Judge: scripted.+prompt version [0-9a-f]{12}/u);
      await panel(page).getByText("Judge's steps").click();
      await panel(page).locator(".entry").first().waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      const link = page.locator(".session-numbers").getByRole("link", { name: "72" });
      await link.click();
      await button(page, "Score again").click();
      await panel(page).getByText("The judge is reading the investigation…").waitFor();
      await panel(page).getByText("72 of 100").waitFor();
      await button(page, "Score again").waitFor();
      expect(await status.textContent()).to.include("Completed");
      expect(await page.locator(".investigation .stage").count()).to.equal(2);
      const slider = page.getByRole("slider", { name: "Time" });
      await slider.press("Home");
      await panel(page).waitFor({ state: "detached" });
      expect(problems).to.deep.equal([]);
    });

    it("say why there is none, and lead to the steps of the judge", async () => {
      const id = await scored("REFUSED", "failed");
      const { page } = await web.open(`/s/${id}`);
      await panel(page).getByText("Scoring failed").waitFor();
      await panel(page).locator(".problem", { hasText: "we do not judge" }).first().waitFor();
      await page.route("**/score", async (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ status: 409, json: { message: "scoring already in progress for this session" } })
          : route.continue(),
      );
      await button(page, "Score again").click();
      await panel(page).getByRole("alert").getByText("scoring already in progress").waitFor();
      await page.goto(web.url(`/s/${id}/trace`));
      await page.getByRole("option", { name: /scoring failed/u }).click();
      const details = page.getByRole("region", { name: "Details" });
      await details.getByText("we do not judge").first().waitFor();
      const rows = await web.pipeline.servers.query(
        "SELECT event_id::text AS id FROM timeline_events JOIN stages USING (stage_id) WHERE stages.session_id = $1 AND stage_type = 'scoring' ORDER BY sequence_number DESC LIMIT 1",
        [id],
      );
      const entry = /[0-9a-f-]{36}/u.exec(JSON.stringify(rows))?.[0] ?? "";
      await page.goto(web.url(`/s/${id}#e-${entry}`));
      await page.locator(`#e-${entry}.target`).waitFor();
    });

    it("come into the open trace of a session that has ended", async () => {
      const id = await web.finished("REFUSED and traced");
      const { page } = await web.open(`/s/${id}/trace`);
      await page.waitForSelector(".trace-row");
      await web.client.request("POST", `/api/v1/sessions/${id}/score`);
      await page.getByRole("option", { name: /scoring failed/u }).waitFor();
    });

    it("are in the list, which they filter and order", async () => {
      const [good, poor, none] = [
        await scored("good alert"),
        await scored("POOR alert"),
        await web.finished("plain"),
      ];
      const { page } = await web.open("/");
      const row = (id: string) => page.locator(`[data-session="${id}"]`);
      await row(good).getByText("Score 72").waitFor();
      await row(poor).getByText("Score 20").waitFor();
      expect(await row(none).getByText("Score").count()).to.equal(0);
      await page.getByRole("button", { name: "Filters" }).click();
      await page.getByRole("combobox", { name: "Score", exact: true }).selectOption("Scored");
      await page.waitForURL("**/?score=scored");
      await row(none).waitFor({ state: "detached" });
      await page.getByRole("combobox", { name: "Sort" }).selectOption("Lowest score first");
      await page.waitForURL("**/?score=scored&sort=worst");
      const first = page.locator("[data-session]").first();
      await until("the worst is first", async () => (await first.getAttribute("data-session")) === poor);
      await page.getByRole("combobox", { name: "Sort" }).selectOption("Highest score first");
      await until("the best is first", async () => (await first.textContent())?.includes("Score 72"));
      expect(await axeViolations(page)).to.deep.equal([]);
    });

    it("and what judges write may be hostile: it is shown as text", async () => {
      const id = await scored("HOSTILE");
      const { page, problems } = await web.open(`/s/${id}`);
      await panel(page).getByText("12 of 100: wrong or missing").waitFor();
      await panel(page).getByText("Judge's analysis").click();
      await panel(page).getByText("Tool gaps").click();
      await panel(page).locator(".markdown a").nth(1).waitFor();
      expect(problems).to.deep.equal([]);
      expect(await page.evaluate("window.hacked")).to.equal(undefined);
      for (const forbidden of "img script style svg iframe form input [id] [style]".split(" ")) {
        expect(await panel(page).locator(".markdown").locator(forbidden).count(), forbidden).to.equal(0);
      }
    });

    it("are accessible and fit any window", async () => {
      const id = await scored("POOR and accessible");
      const { page } = await web.open(`/s/${id}`);
      await panel(page).getByText("wrong conclusion").waitFor();
      await panel(page).getByText("Judge's analysis").click();
      await expectAccessible(page);
    });
  });
}
