import { expect } from "chai";
import type { Page } from "playwright-core";
import { until } from "../../support/until.ts";
import { axeViolations, expectAccessible } from "../support/axe.ts";
import { HOSTILE_TEXT } from "../support/session-script.ts";
import type { WebFixture } from "../support/web-fixture.ts";

const TALK = { alert_type: "talk" };

/** Needs the configuration of session.test.ts. */
export function chat(web: WebFixture): void {
  describe("questions about a session", () => {
    const lane = (page: Page) => page.getByRole("region", { name: "Questions about this investigation" });
    const field = (page: Page) => lane(page).getByLabel("Ask about this investigation");
    const exchanges = (page: Page) => lane(page).getByRole("article", { name: "Question from" });
    const button = (page: Page, name: string) => lane(page).getByRole("button", { name, exact: true });
    /** Asks as another person does, who does not use this page. */
    const post = async (id: string, content: string) => {
      const { status, body } = await web.client.request("POST", `/api/v1/sessions/${id}/chat/messages`, {
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
      const id = await web.finished("pods restart", TALK);
      const { page, problems } = await web.open(`/s/${id}`);
      await field(page).waitFor();
      await page.locator(".conclusion .markdown strong").first().waitFor();
      await page.locator(".stage").first().waitFor();
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
      const id = await web.finished("slowly", TALK);
      const { page } = await web.open(`/s/${id}`);
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
      const id = await web.finished("one at a time", TALK);
      const { page } = await web.open(`/s/${id}`);
      await field(page).fill("HANG on");
      await field(page).press("Enter");
      await lane(page).locator(".exchange-answer .live", { hasText: "well, it" }).waitFor();
      await field(page).fill("And this?");
      await field(page).press("Enter");
      await lane(page).getByRole("alert").getByText("a chat response is already being generated").waitFor();
      expect(await field(page).inputValue()).to.equal("And this?");
      expect(await axeViolations(page)).to.deep.equal([]);
      await button(page, "Cancel answer").click();
      await exchanges(page).getByText("Answer cancelled").waitFor();
      expect(await exchanges(page).locator(".exchange-answer").textContent()).to.include("well, it");
      await button(page, "Cancel answer").waitFor({ state: "detached" });
      expect(await page.locator(".session-state > .status-dot").textContent()).to.include("Completed");
      await field(page).press("Enter");
      await exchanges(page).nth(1).locator(".exchange-answer strong").waitFor();
      await page.reload();
      await exchanges(page).first().getByText("Answer cancelled").waitFor();
    });

    it("say why an answer failed, and why one was not taken", async () => {
      const id = await web.finished("refused", TALK);
      const { page } = await web.open(`/s/${id}`);
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
      const id = await web.finished("with others", TALK);
      const { page } = await web.open(`/s/${id}`);
      await field(page).fill("my own");
      await post(id, "What do others ask?");
      await exchanges(page).locator(".exchange-answer strong").waitFor();
      expect(await exchanges(page).locator(".exchange-question").textContent()).to.equal(
        "What do others ask?",
      );
      expect(await field(page).inputValue()).to.equal("my own");
      const slider = page.getByRole("slider", { name: "Time" });
      await slider.press("ArrowLeft");
      await page.getByText("Showing the session as it was at this point.").waitFor();
      await field(page).waitFor({ state: "detached" });
      await exchanges(page).getByText("Writing the answer…").waitFor();
      await slider.press("Home");
      await lane(page).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Back to now" }).click();
      await until("the draft is kept", async () => (await field(page).inputValue()) === "my own");
    });

    it("are asked only where the api takes them", async () => {
      const silent = await web.finished("not asked", { alert_type: "silent" });
      const cancelled = await web.client.submit("HANG");
      await web.client.waitFor(cancelled, ["in_progress"]);
      const { page } = await web.open(`/s/${cancelled}`);
      await page.locator(".entry .live").first().waitFor();
      await web.client.request("POST", `/api/v1/sessions/${cancelled}/cancel`);
      await page.locator(".session-header .status-dot.cancelled").waitFor();
      expect(await lane(page).count()).to.equal(0);
      await page.goto(web.url(`/s/${silent}`));
      await page.locator(".conclusion .markdown strong").first().waitFor();
      await page.locator(".stage").first().waitFor();
      expect(await lane(page).count()).to.equal(0);
      expect(await page.getByRole("link", { name: "Ask", exact: true }).count()).to.equal(0);
    });

    it("are shown for a session whose own events were deleted, and go on", async () => {
      const id = await web.finished("long ago", TALK);
      await post(id, "Before?");
      await until("it is answered", async () => {
        const { body } = await web.client.request("GET", `/api/v1/sessions/${id}`);
        return JSON.stringify(body["stages"]).match(/"stage_type":"chat","status":"completed"/u) !== null;
      });
      await web.pipeline.servers.query("DELETE FROM events WHERE session_id = $1", [id]);
      await web.pipeline.servers.query(
        "UPDATE session_runtime SET events_purged_at = now() WHERE session_id = $1",
        [id],
      );
      const { page } = await web.open(`/s/${id}`);
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
      const id = await web.finished("hostile", TALK);
      const { page, problems, requests } = await web.open(`/s/${id}`);
      await field(page).fill(`HOSTILE ${HOSTILE_TEXT}`);
      await field(page).press("Enter");
      await exchanges(page).locator(".exchange-answer .markdown a").first().waitFor();
      expect(
        requests.filter((url) => !/^(?:http|ws):\/\/(?:127\.0\.0\.1|localhost):/u.test(url)),
      ).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      expect(await page.evaluate("window.hacked")).to.equal(undefined);
      const inText = exchanges(page).locator(".markdown, .plain-text");
      for (const forbidden of "img script style svg iframe form input [id] [style]".split(" ")) {
        expect(await inText.locator(forbidden).count(), forbidden).to.equal(0);
      }
    });

    it("are accessible and fit any window", async () => {
      const id = await web.finished("accessible", TALK);
      await post(id, "TOOL? ".repeat(60));
      const { page } = await web.open(`/s/${id}`);
      await exchanges(page).locator(".exchange-answer strong").waitFor();
      await expectAccessible(page);
    });
  });
}
