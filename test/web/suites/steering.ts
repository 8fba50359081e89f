import { expect } from "chai";
import type { Page } from "playwright-core";
import { axeViolations } from "../support/axe.ts";
import type { WebFixture } from "../support/web-fixture.ts";

/** Needs the configuration of session.test.ts. */
export function steering(web: WebFixture): void {
  describe("writing to the agents of a running session", () => {
    const box = (page: Page) => page.getByRole("region", { name: "Message the agents" });
    const button = (page: Page, name: string) => box(page).getByRole("button", { name, exact: true });

    it("tells one agent, shows what it has not read, and skips the calls that hold it up", async () => {
      const id = await web.client.submit("STUCK");
      const { page, problems } = await web.open(`/s/${id}`);
      await page.locator(".entry.llm_tool_call.streaming").nth(1).waitFor();
      await box(page).getByLabel("To").selectOption({ label: "Pods" });
      expect(await button(page, "Send").isDisabled()).to.equal(true);
      await box(page).getByLabel("Write a message").focus();
      await page.keyboard.type("It is");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("the staging cluster <b>");
      await page.keyboard.press("Enter");
      const unread = box(page).getByRole("listitem");
      await unread.filter({ hasText: "to Pods" }).waitFor();
      expect(await unread.textContent()).to.match(/^Note It is\nthe staging cluster <b> by .+, to Pods$/u);
      expect(await box(page).getByLabel("Write a message").inputValue()).to.equal("");
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.reload();
      await unread.filter({ hasText: "the staging cluster" }).waitFor();
      await button(page, "Skip tool call").click();
      await page.locator(".session-header .status-dot.completed").waitFor();
      await box(page).waitFor({ state: "detached" });
      const pods = page.getByRole("region", { name: "Pods", exact: true });
      expect(await pods.locator(".entry.user_question").first().textContent()).to.include(
        "the staging cluster",
      );
      expect(await pods.locator(".entry.final_analysis").textContent()).to.include("Then it is staging.");
      expect(await pods.locator(".entry.user_question .entry-what").first().textContent()).to.match(
        /^Note from operator /u,
      );
      const metrics = page.getByRole("region", { name: "Metrics", exact: true });
      const told = metrics.locator(".entry.user_question");
      expect(await told.filter({ hasText: "the staging cluster" }).count()).to.equal(0);
      expect(problems).to.deep.equal([]);
    });

    it("has all agents conclude, and says why there is nothing to skip", async () => {
      const id = await web.client.submit("HANG");
      const { page } = await web.open(`/s/${id}`);
      await page.locator(".entry .live").nth(1).waitFor();
      await button(page, "Skip tool call").click();
      await box(page).getByRole("alert").filter({ hasText: "no tool call is running" }).waitFor();
      await box(page).getByLabel("Write a message").fill("The window closes");
      await button(page, "Conclude now").click();
      const unread = box(page).getByRole("listitem").filter({ hasText: "to Pods, Metrics" });
      await unread.waitFor();
      expect(await unread.textContent()).to.match(/^Conclude The window closes /u);
      expect(await box(page).getByRole("alert").count()).to.equal(0);
      await web.client.request("POST", `/api/v1/sessions/${id}/cancel`);
      await box(page).waitFor({ state: "detached" });
    });
  });
}
