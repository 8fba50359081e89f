import { expect } from "chai";
import { axeViolations } from "../support/axe.ts";
import type { WebFixture } from "../support/web-fixture.ts";

const GROUPED = { alert_type: "grouped" };
const alertOf = (pod: string) => JSON.stringify({ alertname: "DiskFull", pod });

/** Needs the configuration of after-the-end.test.ts. */
export function incidents(web: WebFixture): void {
  describe("the alerts of an incident", () => {
    it("are listed, newest first, with their texts", async () => {
      const id = await web.finished(alertOf("pod-0"), GROUPED);
      for (let n = 1; n <= 24; n += 1) {
        expect(await web.client.submit(alertOf(`pod-${n}`), GROUPED)).to.equal(id);
      }
      const { page, problems } = await web.open(`/s/${id}`);
      const panel = page.locator("details.follow-up-panel", { hasText: "Alerts in this incident" });
      await panel.getByText("25").first().waitFor();
      await panel.locator("> summary").click();
      const texts = panel.locator("details");
      await texts.nth(19).waitFor();
      expect(await texts.count()).to.equal(20);
      await texts.first().locator("summary").click();
      await texts.first().getByText("pod-24").waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await panel.getByRole("button", { name: "Older" }).click();
      await panel.getByText("started this session").waitFor();
      expect(await texts.count()).to.equal(5);
      expect(problems).to.deep.equal([]);
    });
  });
}
