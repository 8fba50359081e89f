import { expect } from "chai";
import type { TarsyClient } from "../../support/tarsy-client.ts";
import { describeInBrowser } from "../support/describe-in-browser.ts";
import { SESSION_CONFIG } from "../support/session-script.ts";
import { WebFixture } from "../support/web-fixture.ts";

/** A parser without limits overflows its stack with it. */
const QUOTES = ">".repeat(60_000);

describeInBrowser("a page of which a part cannot be shown", () => {
  let web: WebFixture;
  let client: TarsyClient;

  before(async () => {
    const script = { calls: [{ steps: [{ text: `${QUOTES} cause` }] }] };
    web = await WebFixture.start({ config: { ...SESSION_CONFIG, script } });
    ({ client } = web.pipeline);
  });
  after(() => web?.[Symbol.asyncDispose]());
  afterEach(function () {
    web?.pipeline.showOutputOf(this.currentTest);
  });

  it("shows Markdown that is made to stop it as it was written", async () => {
    const id = await client.submit("an alert");
    await client.waitFor(id, ["completed"]);
    const { page, problems } = await web.browser.open(web.url(`/s/${id}`));
    const text = page.locator(".conclusion .markdown").last();
    await page.locator(".conclusion .markdown", { hasText: "cause" }).last().waitFor();
    expect(await text.textContent()).to.equal(`${QUOTES} cause`);
    expect(problems).to.deep.equal([]);
    await page.close();
  });

  for (const path of ["/s/%", "/s/%E0%A4%A/trace"]) {
    it(`says that there is no page at ${path}, which is no encoded text`, async () => {
      const { page, problems } = await web.browser.open(web.url(path));
      await page.getByText("There is no such page.").waitFor();
      expect(problems).to.deep.equal([]);
      await page.close();
    });
  }

  it("says that there is no page at an address that nobody knows", async () => {
    const { page } = await web.browser.open(web.url("/nowhere/at/all"));
    await page.getByText("There is no such page.").waitFor();
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.waitForURL(web.url("/"));
    await page.close();
  });

  it("appears at an address with a token that is no encoded text", async () => {
    const { page } = await web.browser.open(web.url("/#token=%"));
    await page.locator("main").waitFor();
    expect(new URL(page.url()).hash).to.equal("");
    await page.close();
  });

  it("offers to load the page again if the file of a screen is gone", async () => {
    const { page } = await web.browser.open(web.url("/"));
    await page.locator("h1").waitFor();
    await page.route("**/assets/**", (route) => route.abort());
    await page.getByRole("link", { name: "Usage" }).click();
    const offer = page.getByRole("button", { name: "Reload" });
    await offer.waitFor();
    await page.unroute("**/assets/**");
    await offer.click();
    await page.locator(".usage-screen").waitFor();
    await page.close();
  });
});
