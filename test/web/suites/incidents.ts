import { expect } from "chai";
import { SUMMARY_CALL } from "../../support/scripts.ts";
import { axeViolations } from "../support/axe.ts";
import { describeInBrowser } from "../support/describe-in-browser.ts";
import { SESSION_CONFIG } from "../support/session-script.ts";
import { WebFixture } from "../support/web-fixture.ts";

const { incident } = SESSION_CONFIG.tarsy.agent_chains;
const CONFIG = {
  ...SESSION_CONFIG,
  tarsy: {
    ...SESSION_CONFIG.tarsy,
    agent_chains: { incident: { ...incident, grouping: { by: ["/alertname"] } } },
  },
  script: { calls: [SUMMARY_CALL, { steps: [{ text: "The disk is full." }] }] },
};
const alertOf = (pod: string) => JSON.stringify({ alertname: "DiskFull", pod });

describeInBrowser("the alerts of an incident", function () {
  let web: WebFixture;

  before(async () => {
    web = await WebFixture.start({ config: CONFIG });
  });
  after(() => web?.[Symbol.asyncDispose]());
  afterEach(function () {
    web?.pipeline.showOutputOf(this.currentTest);
  });

  it("are listed, newest first, with their texts", async () => {
    const { client } = web.pipeline;
    const id = await client.submit(alertOf("pod-0"));
    await client.waitFor(id, ["completed"]);
    for (let n = 1; n <= 24; n += 1) expect(await client.submit(alertOf(`pod-${n}`))).to.equal(id);
    const { page, problems } = await web.browser.open(web.url(`/s/${id}`));
    const panel = page.locator("details.follow-up-panel", { hasText: "Alerts of this incident" });
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
    await page.close();
  });
});
