import { expect } from "chai";
import type { Page } from "playwright-core";
import { SUMMARY_CALL } from "../../support/scripts.ts";
import type { TarsyClient } from "../../support/tarsy-client.ts";
import { axeViolations } from "../support/axe.ts";
import { describeInBrowser } from "../support/describe-in-browser.ts";
import { SESSION_CONFIG } from "../support/session-script.ts";
import { WebFixture } from "../support/web-fixture.ts";

const { k8s } = SESSION_CONFIG.stubTools.servers;
const CONFIG = {
  ...SESSION_CONFIG,
  stubTools: {
    servers: {
      k8s: { ...k8s, stuck: { description: "Never ends", read_only: true, results: [{ hang: true }] } },
    },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      { when: { contains: "HANG" }, steps: [{ text: "this goes on" }, { hang: true }] },
      { when: { contains: "the staging cluster" }, steps: [{ text: "Then it is staging." }] },
      {
        when: { contains: "STUCK", call: 1, tools: true },
        steps: [{ tool_call: { name: "k8s.stuck", arguments: {} } }],
      },
      { steps: [{ text: "It is memory." }] },
    ],
  },
};

describeInBrowser("writing to the agents of a running session", function () {
  let web: WebFixture;
  let client: TarsyClient;
  const opened: Page[] = [];

  before(async () => {
    web = await WebFixture.start({ config: CONFIG });
    ({ client } = web.pipeline);
  });
  after(() => web?.[Symbol.asyncDispose]());
  afterEach(async function () {
    web?.pipeline.showOutputOf(this.currentTest);
    for (const page of opened.splice(0)) await page.close();
  });

  const open = async (id: string) => {
    const watched = await web.browser.open(web.url(`/s/${id}`));
    opened.push(watched.page);
    return watched;
  };
  const box = (page: Page) => page.getByRole("region", { name: "Tell the agents" });
  const button = (page: Page, name: string) => box(page).getByRole("button", { name, exact: true });

  it("tells one agent, shows what it has not read, and skips the calls that hold it up", async () => {
    const id = await client.submit("STUCK");
    const { page, problems } = await open(id);
    await page.locator(".entry.llm_tool_call.streaming").nth(1).waitFor();
    await box(page).getByLabel("To").selectOption({ label: "Pods" });
    expect(await button(page, "Send").isDisabled()).to.equal(true);
    await box(page).getByLabel("Write a message").focus();
    await page.keyboard.type("It is");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("the staging cluster <b>");
    await page.keyboard.press("Enter");
    const unread = box(page).getByRole("listitem");
    await unread.filter({ hasText: "for Pods" }).waitFor();
    expect(await unread.textContent()).to.match(/^Note It is\nthe staging cluster <b> by .+, for Pods$/u);
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
    const metrics = page.getByRole("region", { name: "Metrics", exact: true });
    const told = metrics.locator(".entry.user_question");
    expect(await told.filter({ hasText: "the staging cluster" }).count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("has all agents conclude, and says why there is nothing to skip", async () => {
    const id = await client.submit("HANG");
    const { page } = await open(id);
    await page.locator(".entry .live").nth(1).waitFor();
    await button(page, "Skip tool call").click();
    await box(page).getByRole("alert").filter({ hasText: "no tool call is running" }).waitFor();
    await box(page).getByLabel("Write a message").fill("The window closes");
    await button(page, "Conclude now").click();
    const unread = box(page).getByRole("listitem").filter({ hasText: "for Pods, Metrics" });
    await unread.waitFor();
    expect(await unread.textContent()).to.match(/^Conclude The window closes /u);
    expect(await box(page).getByRole("alert").count()).to.equal(0);
    await client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await box(page).waitFor({ state: "detached" });
  });
});
