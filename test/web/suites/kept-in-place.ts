import { expect } from "chai";
import { describeInBrowser } from "../support/describe-in-browser.ts";
import { SESSION_CONFIG } from "../support/session-script.ts";
import { WebFixture } from "../support/web-fixture.ts";

/** Of every session of the script; only the API has it. */
const SUMMARY = "In short.";
const FOCUSED = "document.activeElement?.getAttribute('href') ?? document.activeElement?.id";

describeInBrowser("what stays in its place on the page", () => {
  let web: WebFixture;

  before(async () => {
    web = await WebFixture.start({ config: SESSION_CONFIG });
  });
  after(() => web?.[Symbol.asyncDispose]());
  afterEach(function () {
    web?.pipeline.showOutputOf(this.currentTest);
  });

  it("is a row that does not match the filters any more, with the figures of its end", async () => {
    const id = await web.pipeline.client.submit("SLOW pod");
    const { page } = await web.browser.open(web.url("/?status=running"));
    const row = page.locator(`[data-session="${id}"]`);
    await row.waitFor();
    await row.getByText("Completed", { exact: true }).waitFor();
    const { body } = await web.pipeline.client.request("GET", `/api/v1/sessions/${id}`);
    expect(body).to.have.property("executive_summary", SUMMARY);
    await row.getByText(SUMMARY).waitFor();
    await page.close();
  });

  it("is the focus, after a dialog; it goes to the content of a new screen", async () => {
    const id = await web.pipeline.client.submit("HANG on a pod");
    const { page } = await web.browser.open(web.url("/?status=running"));
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
    await web.pipeline.client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await page.close();
  });
});
