import { expect } from "chai";
import type { Page } from "playwright-core";
import { SUMMARY_CALL } from "../../support/scripts.ts";
import type { TarsyClient } from "../../support/tarsy-client.ts";
import { until } from "../../support/until.ts";
import { axeViolations } from "../support/axe.ts";
import type { WatchedPage } from "../support/browser.ts";
import { describeInBrowser } from "../support/describe-in-browser.ts";
import { HOSTILE_TEXT, SESSION_CONFIG } from "../support/session-script.ts";
import { WebFixture } from "../support/web-fixture.ts";

const ENDED = ["completed", "failed", "cancelled", "timed_out"];
const CHAT = "CURRENT TASK";
const asked = (question: string) => [CHAT, `**Question:** ${question}`];
const LONG_ANSWER = Array.from({ length: 400 }, (_, n) => `word-${n}`).join(" ");
const { incident, act } = SESSION_CONFIG.tarsy.agent_chains;
const CONFIG = {
  ...SESSION_CONFIG,
  tarsy: {
    ...SESSION_CONFIG.tarsy,
    agent_chains: {
      incident: { ...incident, chat: { iteration_strategy: "native-thinking", mcp_servers: ["k8s"] } },
      act: { ...act, chat: { enabled: false } },
    },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      {
        when: { contains: asked("SLOW") },
        steps: [{ text: LONG_ANSWER, chunk_size: 8, chunk_delay: "30ms" }],
      },
      { when: { contains: asked("HANG") }, steps: [{ text: "well, it" }, { hang: true }] },
      {
        when: { contains: asked("REFUSED") },
        steps: [{ error: { code: "content_blocked", message: "we do not answer this", retryable: false } }],
      },
      {
        when: { contains: asked("TOOL"), call: 1, tools: true },
        steps: [
          { thinking: "I look." },
          { tool_call: { name: "k8s.pods", arguments: { namespace: "shop" } } },
        ],
      },
      { when: { contains: asked("HOSTILE") }, steps: [{ text: HOSTILE_TEXT }] },
      { when: { contains: CHAT }, steps: [{ text: "# Yes\n\nThey are there **again**." }] },
      { when: { contains: "WAIT" }, steps: [{ text: "this goes on" }, { hang: true }] },
      { steps: [{ text: "The **memory** is full." }] },
    ],
  },
};

describeInBrowser("questions about a session", function () {
  let web: WebFixture;
  let client: TarsyClient;
  const opened: WatchedPage[] = [];

  before(async () => {
    web = await WebFixture.start({ config: CONFIG });
    ({ client } = web.pipeline);
  });
  after(() => web?.[Symbol.asyncDispose]());
  afterEach(async function () {
    web?.pipeline.showOutputOf(this.currentTest);
    for (const { page } of opened.splice(0)) await page.close();
  });

  const open = async (path: string, options: Parameters<WebFixture["browser"]["open"]>[1] = {}) => {
    const watched = await web.browser.open(web.url(path), options);
    opened.push(watched);
    return watched;
  };
  const finished = async (alert: string, fields: object = {}) => {
    const id = await client.submit(alert, fields);
    await client.waitFor(id, ENDED);
    return id;
  };
  const lane = (page: Page) => page.getByRole("region", { name: "Questions about this investigation" });
  const field = (page: Page) => lane(page).getByLabel("Ask about this investigation");
  const exchanges = (page: Page) => lane(page).getByRole("article", { name: "Question of" });
  const button = (page: Page, name: string) => lane(page).getByRole("button", { name, exact: true });
  /** Asks as another person does, who does not use this page. */
  const post = async (id: string, content: string) => {
    const { status, body } = await client.request("POST", `/api/v1/sessions/${id}/chat/messages`, {
      content,
    });
    expect(status, JSON.stringify(body)).to.equal(202);
  };
  /** What the header and the conclusion say of the investigation, which no question changes. */
  const investigation = async (page: Page) => ({
    status: await page.locator(".session-state > .status-dot").textContent(),
    duration: await page
      .locator(".session-numbers dt", { hasText: "Duration" })
      .locator("+ dd")
      .textContent(),
    conclusion: await page.locator(".conclusion").textContent(),
    stages: await page.locator(".investigation .stage").count(),
  });

  it("are asked by keyboard, and answered with what the agent did", async () => {
    const id = await finished("pods restart");
    const { page, problems } = await open(`/s/${id}`);
    await field(page).waitFor();
    await page.locator(".conclusion .markdown strong").first().waitFor();
    const before = await investigation(page);
    await page.keyboard.press("q");
    await page.keyboard.type("TOOL, are they");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("still <b>there</b>?");
    await lane(page).getByText("34 of 100,000 characters").waitFor();
    await page.keyboard.press("Enter");
    const exchange = exchanges(page);
    await exchange.locator(".exchange-answer strong", { hasText: "again" }).waitFor();
    expect(await exchange.locator(".exchange-question").textContent()).to.equal(
      "TOOL, are they\nstill <b>there</b>?",
    );
    expect(await exchange.locator(".exchange-head").textContent()).to.match(/^\S+ \d\d:\d\d · /u);
    const call = exchange.locator(".entry.llm_tool_call.completed");
    await call.locator(".entry-line").click();
    await call.getByText("pod-4").waitFor();
    expect(await exchange.locator(".entry").count()).to.equal(2);
    expect(await field(page).inputValue()).to.equal("");
    expect(await page.evaluate("document.activeElement?.className")).to.include("entry-line");
    expect(await investigation(page)).to.deep.equal(before);
    await page.keyboard.press("q");
    await page.keyboard.type("And now?");
    await page.keyboard.press("Enter");
    await exchanges(page).nth(1).locator(".exchange-answer strong").waitFor();
    expect(await page.evaluate("document.activeElement?.id")).to.equal("question-text");
    await page.reload();
    await exchanges(page).nth(1).locator(".exchange-answer strong").waitFor();
    expect(await investigation(page)).to.deep.equal(before);
    expect(problems).to.deep.equal([]);
  });

  it("stream their answers, also after a reload and after the notifier's death", async () => {
    const id = await finished("slowly");
    const { page } = await open(`/s/${id}`);
    await field(page).fill("SLOW");
    await button(page, "Ask").click();
    const text = lane(page).locator(".exchange-answer .live");
    const length = async () => ((await text.textContent()) ?? "").length;
    const grows = async (than: number) =>
      until("the answer grows", async () => (await length()) > than && length());
    const first = await grows(20);
    await page.reload();
    const second = await grows(first);
    await web.pipeline.system.stop("notifier", "SIGKILL");
    await page.locator(".connection.lost").waitFor();
    expect(await length()).to.be.at.least(second);
    await web.pipeline.system.startService("notifier", {
      NOTIFIER_PORT: new URL(web.pipeline.system.ws).port,
    });
    await lane(page).locator(".exchange-answer .markdown", { hasText: "word-399" }).waitFor();
    await page.locator(".connection").waitFor({ state: "detached" });
    expect(await exchanges(page).count()).to.equal(1);
  });

  it("are refused while one is answered, with the text kept; the answer can be cancelled", async () => {
    const id = await finished("one at a time");
    const { page } = await open(`/s/${id}`);
    await field(page).fill("HANG on");
    await field(page).press("Enter");
    await lane(page).locator(".exchange-answer .live", { hasText: "well, it" }).waitFor();
    await field(page).fill("And this?");
    await field(page).press("Enter");
    await lane(page).getByRole("alert").getByText("a chat response is already being generated").waitFor();
    expect(await field(page).inputValue()).to.equal("And this?");
    expect(await axeViolations(page)).to.deep.equal([]);
    await button(page, "Cancel the answer").click();
    await exchanges(page).getByText("The answer was cancelled").waitFor();
    expect(await exchanges(page).locator(".exchange-answer").textContent()).to.include("well, it");
    await button(page, "Cancel the answer").waitFor({ state: "detached" });
    expect(await page.locator(".session-state > .status-dot").textContent()).to.include("Completed");
    await field(page).press("Enter");
    await exchanges(page).nth(1).locator(".exchange-answer strong").waitFor();
    await page.reload();
    await exchanges(page).first().getByText("The answer was cancelled").waitFor();
  });

  it("say why an answer failed, and why one was not taken", async () => {
    const id = await finished("refused");
    const { page } = await open(`/s/${id}`);
    await field(page).fill("REFUSED");
    await field(page).press("Enter");
    await exchanges(page).locator(".entry.error", { hasText: "we do not answer this" }).waitFor();
    await exchanges(page).getByText("The answer failed").waitFor();
    expect(await page.locator(".session-failures").count()).to.equal(0);
    await field(page).fill("💾".repeat(100_001));
    await lane(page).getByText("100,001 of 100,000 characters").waitFor();
    expect(await button(page, "Ask").isDisabled()).to.equal(true);
    await page.route("**/chat/messages", async (route) =>
      route.fulfill({ status: 429, json: { message: "a session takes 30 questions a minute" } }),
    );
    await field(page).fill("Too soon?");
    await field(page).press("Enter");
    await lane(page).getByRole("alert").getByText("a session takes 30 questions a minute").waitFor();
    await page.getByRole("link", { name: "Trace" }).click();
    await page.waitForSelector(".trace-row");
    await page.goBack();
    await until("the text is kept", async () => (await field(page).inputValue()) === "Too soon?");
  });

  it("of others are shown, and belong to the time at which they were asked", async () => {
    const id = await finished("with others");
    const { page } = await open(`/s/${id}`);
    await field(page).fill("my own");
    await post(id, "What do others ask?");
    await exchanges(page).locator(".exchange-answer strong").waitFor();
    expect(await exchanges(page).locator(".exchange-question").textContent()).to.equal("What do others ask?");
    expect(await field(page).inputValue()).to.equal("my own");
    const slider = page.getByRole("slider", { name: "Time" });
    await slider.press("ArrowLeft");
    await page.getByText("You see the session as it was then.").waitFor();
    await field(page).waitFor({ state: "detached" });
    await exchanges(page).getByText("An answer is being written").waitFor();
    await slider.press("Home");
    await lane(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Back to now" }).click();
    await until("the draft is kept", async () => (await field(page).inputValue()) === "my own");
  });

  it("are asked only where the api takes them", async () => {
    const silent = await finished("REMOVE", { alert_type: "act" });
    const cancelled = await client.submit("WAIT");
    await client.waitFor(cancelled, ["in_progress"]);
    const { page } = await open(`/s/${cancelled}`);
    await page.locator(".entry .live").first().waitFor();
    await client.request("POST", `/api/v1/sessions/${cancelled}/cancel`);
    await page.locator(".session-header .status-dot.cancelled").waitFor();
    expect(await lane(page).count()).to.equal(0);
    await page.goto(web.url(`/s/${silent}`));
    await page.locator(".conclusion .markdown strong").first().waitFor();
    expect(await lane(page).count()).to.equal(0);
    expect(await page.getByRole("link", { name: "Ask", exact: true }).count()).to.equal(0);
  });

  it("are shown for a session whose own events were deleted, and go on", async () => {
    const id = await finished("long ago");
    await post(id, "Before?");
    await until("it is answered", async () => {
      const { body } = await client.request("GET", `/api/v1/sessions/${id}`);
      return JSON.stringify(body["stages"]).match(/"stage_type":"chat","status":"completed"/u) !== null;
    });
    await web.pipeline.servers.query("DELETE FROM events WHERE session_id = $1", [id]);
    await web.pipeline.servers.query(
      "UPDATE session_runtime SET events_purged_at = now() WHERE session_id = $1",
      [id],
    );
    const { page } = await open(`/s/${id}`);
    await exchanges(page).locator(".exchange-answer strong").waitFor();
    expect(await page.locator(".conclusion").textContent()).to.include("The memory is full");
    await field(page).fill("SLOW");
    await field(page).press("Enter");
    await exchanges(page).nth(1).locator(".exchange-answer .live", { hasText: "word-5" }).waitFor();
    await page.reload();
    await exchanges(page).nth(1).locator(".exchange-answer .live", { hasText: "word-9" }).waitFor();
    await exchanges(page).nth(1).locator(".exchange-answer .markdown", { hasText: "word-399" }).waitFor();
  });

  it("and their answers may be hostile: they are shown as text", async () => {
    const id = await finished("hostile");
    const { page, problems, requests } = await open(`/s/${id}`);
    await field(page).fill(`HOSTILE ${HOSTILE_TEXT}`);
    await field(page).press("Enter");
    await exchanges(page).locator(".exchange-answer .markdown a").first().waitFor();
    expect(
      requests.filter((url) => !/^(?:http|ws):\/\/(?:127\.0\.0\.1|localhost):/u.test(url)),
    ).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
    expect(await page.evaluate("window.hacked")).to.equal(undefined);
    const inText = exchanges(page).locator(".markdown, .plain-text");
    for (const forbidden of ["img", "script", "style", "svg", "iframe", "form", "input", "[id]", "[style]"]) {
      expect(await inText.locator(forbidden).count(), forbidden).to.equal(0);
    }
  });

  for (const scheme of ["light", "dark"] as const) {
    it(`are accessible and fit any window (${scheme})`, async () => {
      const id = await finished("accessible");
      await post(id, "TOOL? ".repeat(60));
      for (const width of [320, 900, 1440]) {
        const { page } = await open(`/s/${id}`, { width, scheme });
        await exchanges(page).locator(".exchange-answer strong").waitFor();
        expect(await axeViolations(page), `at ${width} px`).to.deep.equal([]);
        const beyond: unknown = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(beyond, `sideways at ${width} px`).to.equal(0);
      }
    });
  }
});
