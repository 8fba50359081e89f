import { expect } from "chai";
import { Type } from "typebox";
import { summaryStageId } from "#shared/contract-view/shown-stages.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import { axeViolations, expectAccessible } from "../support/axe.ts";
import { shownEntries, untilEvent } from "../support/shown-entries.ts";
import type { WebFixture } from "../support/web-fixture.ts";

export const TOKEN = "the-token-of-the-tests-0123456789abcdef";

const Box = Type.Object({ x: Type.Number(), y: Type.Number(), width: Type.Number() });
const parseBoxes = compileParser("boxes", Type.Tuple([Box, Box]));
const parseTimeline = compileParser("timeline", Type.Array(Type.Record(Type.String(), Type.Unknown())));

/** Needs the configuration of session.test.ts. */
export function sessionScreen(web: WebFixture): void {
  describe("the session's screen", () => {
    /** What the page shows of a whole session, in the words of REST; the summary stands in the conclusion. */
    const restEntries = async (id: string) => {
      const response = await fetch(`${web.pipeline.system.api}/api/v1/sessions/${id}/timeline`);
      return parseTimeline(await response.json())
        .filter(({ event_type }) => event_type !== "executive_summary" && event_type !== "llm_response")
        .filter(({ stage_id }) => stage_id !== summaryStageId(id))
        .map(({ event_id, event_type, status }) => [event_id, event_type, status].join(" "))
        .toSorted();
    };

    it("shows the conclusion, each agent's lane, and what REST has", async () => {
      const id = await web.finished("pods restart");
      const { page, problems } = await web.open(`/s/${id}`);
      await page.getByRole("heading", { name: "pods restart" }).waitFor();
      await page.locator(".conclusion .markdown strong", { hasText: "memory" }).waitFor();
      await page.locator(".stage").first().waitFor();
      expect(await page.locator(".conclusion").textContent()).to.include("In short.");
      expect(await page.locator(".session-notice").textContent()).to.include("not by an LLM");
      for (const lane of ["Pods", "Metrics", "Synthesis", "Reader"]) {
        expect(await page.getByRole("region", { name: lane, exact: true }).count(), lane).to.equal(1);
      }
      expect(await shownEntries(page)).to.deep.equal(await restEntries(id));
      const failed = page.locator(".entry.failed").first();
      expect(await failed.locator(".entry-line").getAttribute("aria-expanded")).to.equal("true");
      expect(await failed.textContent()).to.include("connection refused");
      expect(problems).to.deep.equal([]);
    });

    it("streams text, and has it again after a reload and after the notifier's death", async () => {
      const id = await web.client.submit("SLOW");
      const { page } = await web.open(`/s/${id}`);
      const text = page.locator(".entry .live").first();
      const length = async () => ((await text.textContent()) ?? "").length;
      const grows = async (than: number) =>
        until("the text grows", async () => (await length()) > than && length());
      const before = await grows(20);
      await page.reload();
      const after = await grows(before);
      await web.pipeline.system.stop("notifier", "SIGKILL");
      await page.locator(".connection.lost").waitFor();
      expect(await length()).to.be.at.least(after);
      await web.pipeline.system.startService("notifier", {
        NOTIFIER_PORT: new URL(web.pipeline.system.ws).port,
      });
      await page.locator(".session-header .status-dot.completed").waitFor();
      expect(await shownEntries(page)).to.deep.equal(await restEntries(id));
    });

    it("is the view of any event, by address, keys and slider", async () => {
      const id = await web.finished("back in time");
      const { page } = await web.open(`/s/${id}?at=30`);
      await page.locator(".connection").waitFor({ state: "detached" });
      await untilEvent(page, 30);
      expect(await page.locator(".conclusion").count()).to.equal(0);
      const atThirty = await shownEntries(page);
      await page.keyboard.press("ArrowLeft");
      await untilEvent(page, 29);
      await page.keyboard.press("ArrowRight");
      await untilEvent(page, 30);
      expect(await shownEntries(page)).to.deep.equal(atThirty);
      await until("the address has it", () => new URL(page.url()).searchParams.get("at") === "30");
      await page.keyboard.press("l");
      await page.locator(".conclusion").waitFor();
      await until("the address is clean", () => !new URL(page.url()).searchParams.has("at"));
      await page.getByRole("slider", { name: "Time" }).focus();
      await page.keyboard.press("Home");
      await untilEvent(page, 1);
      expect(await shownEntries(page)).to.deep.equal([]);
    });

    it("opens and closes entries by keys, and finds a word", async () => {
      const id = await web.finished("with keys");
      const { page } = await web.open(`/s/${id}`);
      await page.locator(".conclusion").waitFor();
      await page.locator(".stage").first().waitFor();
      const openCount = async () => page.locator('.entry-line[aria-expanded="true"]').count();
      const [all, failed] = [await page.locator(".entry-line").count(), await openCount()];
      await page.keyboard.press("t");
      await until(
        "tool calls open",
        async () => (await openCount()) === (await page.locator(".entry.llm_tool_call").count()),
      );
      await page.keyboard.press("e");
      await until("everything opens", async () => (await openCount()) === all);
      await page.keyboard.press("e");
      await until("everything closes", async () => (await openCount()) === 0);
      expect(failed).to.equal(2);
      await page.keyboard.press("/");
      await page.keyboard.type("connection REFUSED");
      await page.keyboard.press("Enter");
      const target = page.locator(".entry.target");
      await target.waitFor();
      expect(await target.textContent()).to.include("connection refused");
      expect(await target.evaluate((element) => element.getBoundingClientRect().bottom > 0)).to.equal(true);
      expect(page.url()).to.match(/#e-[\w-]+$/u);
    });

    it("leads to what failed and copies a link to it and the conclusion, by keys", async () => {
      const id = await web.finished(
        JSON.stringify({ alerts: [{ annotations: { summary: "Pods restart" } }] }),
      );
      const { page } = await web.open(`/s/${id}`);
      await page.locator(".conclusion").waitFor();
      await page.locator(".stage").first().waitFor();
      const copied = async () => page.evaluate<string>("navigator.clipboard.readText()");
      const failures = page.getByRole("button", { name: "2 failures" });
      await failures.waitFor();
      const targets: string[] = [];
      for (let press = 0; press < 3; press += 1) {
        await page.keyboard.press("f");
        const target = page.locator(".entry.target.failed");
        await until("another failure", async () => (await target.getAttribute("id")) !== targets.at(-1));
        targets.push((await target.getAttribute("id")) ?? "");
      }
      expect(new Set(targets).size).to.equal(2);
      await page.keyboard.press("y");
      const more = page.getByRole("button", { name: "More actions" });
      await more.press("Enter");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      const focused = page.locator(":focus");
      expect(await focused.textContent()).to.include("Copy conclusion");
      await page.keyboard.press("Escape");
      expect(await more.evaluate((button) => button === document.activeElement)).to.equal(true);
      await until("the link", async () => (await copied()) === web.url(`/s/${id}#${targets[2]}`));
      await page.keyboard.press("c");
      await until("the conclusion", async () => (await copied()).includes("In short."));
      expect(await copied())
        .to.match(/^\*\*Pods restart\*\* \(Completed\)/u)
        .and.to.include(web.url(`/s/${id}`));
    });

    it("has the alert beside the conclusion where there is room, and else below it", async () => {
      const id = await web.finished("beside");
      const { page } = await web.open(`/s/${id}`, { width: 1_440 });
      await page.locator(".conclusion .markdown strong").waitFor();
      const boxes = async () =>
        parseBoxes(
          await page.evaluate(
            `[".conclusion", ".alert-panel"].map((name) => document.querySelector(name).getBoundingClientRect().toJSON())`,
          ),
        );
      await page.locator(".alert-panel .result").waitFor();
      const [conclusion, alert] = await boxes();
      expect(alert.y).to.equal(conclusion.y);
      expect(alert.x).to.be.at.least(conclusion.x + conclusion.width);
      // The slider comes later, into a place of its own.
      await page.getByRole("slider", { name: "Time" }).waitFor();
      expect((await boxes())[0].y).to.equal(conclusion.y);
      await page.setViewportSize({ width: 900, height: 900 });
      await until("it is below", async () => {
        const [above, below] = await boxes();
        return below.x === above.x;
      });
    });

    it("says why the agents failed, once", async () => {
      const id = await web.finished("REFUSED by the model");
      const { page } = await web.open(`/s/${id}`);
      await page.getByRole("heading", { name: "No conclusion" }).waitFor();
      expect(await page.locator(".causes").textContent()).to.equal("Pods, Metrics: we do not answer this");
      expect(await page.locator(".lane > .problem").count()).to.equal(0);
    });

    it("goes to the entry that the address names, in its tab where there is no room", async () => {
      const id = await web.finished("crowded", { alert_type: "crowd" });
      const rows = await web.pipeline.servers.query(
        `SELECT event_id::text AS text FROM timeline_events JOIN agent_executions USING (execution_id)
       WHERE timeline_events.session_id = $1 AND agent_index = 5 AND event_type = 'final_analysis'`,
        [id],
      );
      const [event] = compileParser("rows", Type.Array(Type.Object({ text: Type.String() })))(rows);
      const { page } = await web.open(`/s/${id}#e-${event?.text}`, { width: 600 });
      await page.locator(`#e-${event?.text}.target`).waitFor();
      const tab = page.getByRole("tab", { selected: true });
      expect(await tab.textContent()).to.include("Reader-5");
      await tab.press("ArrowRight");
      await until("the next tab", async () => (await tab.textContent())?.includes("Reader-6"));
    });

    it("goes to an entry whose event comes after those of other agents", async () => {
      const id = await web.finished("crowded", { alert_type: "crowd" });
      const rows = await web.pipeline.servers.query(
        `SELECT event_id::text AS text, (SELECT min(seq)::text FROM events
         WHERE session_id = $1 AND payload ->> 'event_id' = timeline_events.event_id::text) AS seq
       FROM timeline_events JOIN agent_executions USING (execution_id)
       WHERE timeline_events.session_id = $1 AND agent_index = 6 AND event_type = 'final_analysis'`,
        [id],
      );
      const parse = compileParser(
        "rows",
        Type.Array(Type.Object({ text: Type.String(), seq: Type.String() })),
      );
      const [event] = parse(rows);
      const before = Number(event?.seq) - 1;
      const { page } = await web.open(`/s/${id}?at=${before}#e-${event?.text}`);
      await page.getByRole("tab").nth(5).waitFor();
      await page.locator(".connection").waitFor({ state: "detached" });
      // The key belongs to the slider, which is loaded after the entries.
      await untilEvent(page, before);
      await page.keyboard.press("ArrowRight");
      await page.locator(`#e-${event?.text}.target`).waitFor();
      expect(await page.getByRole("tab", { selected: true }).textContent()).to.include("Reader-6");
    });

    it("asks for an approval where the call waits, and shows what was decided", async () => {
      const id = await web.client.submit("REMOVE it", { alert_type: "act" });
      const { page } = await web.open(`/s/${id}`);
      const question = page.locator(".entry.approval");
      await question.getByText("makes changes", { exact: true }).waitFor();
      const facts = await question.locator(".approval-facts").textContent();
      expect(facts).to.include("k8s").and.include("Actor").and.include("It must go.");
      const [yes, no] = await Promise.all(
        ["Approve", "Deny"].map(async (name) => question.getByRole("button", { name }).boundingBox()),
      );
      expect((no?.x ?? 0) - (yes?.x ?? 0) - (yes?.width ?? 0)).to.be.at.least(80);
      await page.keyboard.press("A");
      await page.locator(".entry.approval.target").waitFor();
      // The key only moves the focus to the button.
      await page.locator(".approval-buttons .approve:focus").waitFor();
      await page.keyboard.press("Enter");
      const form = page.getByRole("dialog", { name: "Sign in to decide" });
      await form.getByRole("alert").getByText("APPROVAL_TOKEN").waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      const [call, over] = [await question.boundingBox(), await form.boundingBox()];
      expect(call?.y).to.be.within(0, over?.y ?? 0);
      await form.getByRole("button", { name: "Not now" }).click();
      await page.locator(".approval [role=alert]").getByText("APPROVAL_TOKEN").waitFor();
      await page.getByRole("button", { name: "Approve" }).click();
      await form.getByLabel("Token or API key").fill("another-token");
      await page.keyboard.press("Enter");
      await form.getByRole("alert").getByText("the token is not valid").waitFor();
      await form.getByLabel("Token or API key").fill(TOKEN);
      await page.keyboard.press("Enter");
      // The decision that asked for it is made without another press.
      await page.locator(".session-header .status-dot.completed").waitFor();
      expect(await page.locator(".entry.approval").textContent()).to.include("Approved by");
    });

    it("says of a tool whose effect it cannot read how the tool is treated", async () => {
      const { page } = await web.open("/");
      await page.route("**/api/v1/system/mcp-servers", async (route) => route.abort());
      await page.goto(web.url(`/s/${await web.client.submit("REMOVE it", { alert_type: "act" })}`));
      await page.getByText("not declared, treated as making changes").waitFor();
    });

    it("cancels after a question, by keyboard", async () => {
      const id = await web.client.submit("HANG");
      const { page } = await web.open(`/s/${id}`);
      await page.locator(".entry .live").first().waitFor();
      await page.getByRole("button", { name: "Cancel", exact: true }).press("Enter");
      await page.getByRole("button", { name: "Cancel session" }).press("Enter");
      await page.locator(".session-header .status-dot.cancelled").waitFor();
      expect((await web.client.session(id)).status).to.equal("cancelled");
    });

    it("shows a long text in parts, and finds a word in them", async () => {
      const lines = Array.from({ length: 5_000 }, (_, n) => `line ${n} of an alert that goes on and on`);
      const id = await web.client.submit(lines.join("\n"));
      const { page } = await web.open(`/s/${id}`, { width: 900 });
      const entry = page.locator(".alert-panel");
      await entry.locator("summary").click();
      await entry.getByText("Part 1 of 4").waitFor();
      await entry.getByRole("searchbox").fill("line 4999 ");
      await entry.locator("mark").waitFor();
      expect(await entry.locator("mark").textContent()).to.equal("line 4999 ");
      await entry.getByText("Part 4 of 4").waitFor();
    });

    it("says that a session does not exist", async () => {
      const { page } = await web.open("/s/019ab0c4-7c1e-7d3a-9f70-2b7a4a9e1c55");
      await page.locator(".no-session").waitFor();
      expect(await page.locator(".no-session").textContent()).to.include("Session not found");
    });

    it("is accessible, also with everything open, and never wider than its window", async () => {
      const { page } = await web.open(`/s/${await web.finished("accessible")}`);
      await page.locator(".conclusion .markdown strong").waitFor();
      await page.locator(".stage").first().waitFor();
      await expectAccessible(page);
      await page.keyboard.press("e");
      await page.locator(".entry .markdown").first().waitFor();
      await expectAccessible(page);
    });
  });
}
