import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import { axeViolations } from "../support/axe.ts";
import { untilEvent } from "../support/shown-entries.ts";
import type { WebFixture } from "../support/web-fixture.ts";

const parseEvents = compileParser(
  "events",
  Type.Object(
    {
      events: Type.Array(
        Type.Object({ seq: Type.Integer(), timestamp: Type.String() }, { additionalProperties: true }),
      ),
    },
    { additionalProperties: true },
  ),
);
const parseNumbers = compileParser(
  "numbers of a session",
  Type.Object({ total_tokens: Type.Integer(), last_seq: Type.Integer() }, { additionalProperties: true }),
);

/** Needs the configuration SESSION_CONFIG. */
export function timeTravel(web: WebFixture): void {
  describe("the past of a session", () => {
    let id: string;

    before(async () => {
      id = await web.finished("the shop is slow");
    });

    const ofApi = async (path: string): Promise<unknown> =>
      (await fetch(`${web.pipeline.system.api}${path}`)).json();
    const numbersAt = async (seq: number) =>
      parseNumbers(await ofApi(`/api/v1/sessions/${id}?at_seq=${seq}`));
    /** The ends of the session's steps. */
    const stepEnds = async () => {
      const { events } = parseEvents(await ofApi(`/api/v1/sessions/${id}/events?limit=1000`));
      return events
        .filter(({ timestamp }, index) => events[index + 1]?.timestamp !== timestamp)
        .map(({ seq }) => seq);
    };
    /** The first step's end with some of the tokens of the whole session. */
    const halfway = async () => {
      const ends = await stepEnds();
      const { total_tokens: all } = await numbersAt(ends.at(-1) ?? 0);
      for (const end of ends) {
        const { total_tokens } = await numbersAt(end);
        if (total_tokens > 0 && total_tokens < all) return { seq: end, tokens: total_tokens };
      }
      throw new Error("no step has a part of the tokens");
    };

    it("shows the tokens of then, and those of now again", async () => {
      const { seq, tokens } = await halfway();
      const { page, problems } = await web.open(`/s/${id}?at=${seq}`);
      const shown = page.locator(".session-numbers .numbers[title$=' tokens']");
      await until(
        "the tokens of then",
        async () => (await shown.getAttribute("title")) === `${tokens} tokens`,
      );
      await page.getByRole("button", { name: "Back to now" }).click();
      await until(
        "those of now",
        async () => (await shown.getAttribute("title"))?.startsWith("25,") === true,
      );
      expect(problems).to.deep.equal([]);
    });

    it("is walked step by step, and played until now", async () => {
      const ends = await stepEnds();
      const [first = 0, second = 0] = ends;
      const { page } = await web.open(`/s/${id}?at=${second}`);
      const isAt = async (seq: number) => untilEvent(page, seq);
      await isAt(second);
      await page.getByRole("button", { name: "Previous step" }).click();
      await isAt(first);
      await page.keyboard.press(".");
      await isAt(second);
      await page.keyboard.press(",");
      await isAt(first);
      const [almost = 0, last = 0] = ends.slice(-2);
      await page.goto(web.url(`/s/${id}?at=${almost}`));
      await isAt(almost);
      await page.getByRole("button", { name: "Play" }).click();
      await isAt(last);
      await page.getByText("Showing the session as it was at this point.").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Play" }).waitFor();
    });

    it("says what happened then, and how much is newer", async () => {
      const { page } = await web.open(`/s/${id}?at=2`);
      await page.getByText("Showing the session as it was at this point.").waitFor();
      const { last_seq } = await numbersAt(2).then(async () =>
        parseNumbers(await ofApi(`/api/v1/sessions/${id}`)),
      );
      await page.getByText(`${last_seq - 2} newer events`).waitFor();
      expect(await page.locator(".past-event").textContent()).to.not.equal("");
      expect(await axeViolations(page)).to.deep.equal([]);
    });

    it("counts what happens meanwhile in a session that runs", async () => {
      const running = await web.client.submit("HANG");
      const { page } = await web.open(`/s/${running}?at=1`);
      const newer = page.locator(".time-place");
      await until("events come", async () =>
        /[1-9]\d* newer events/u.test((await newer.textContent()) ?? ""),
      );
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Cancel session" }).click();
      const { last_seq } = parseNumbers(await web.client.waitFor(running, ["cancelled"]));
      await page.getByText(`${last_seq - 1} newer events`).waitFor();
      expect(new URL(page.url()).searchParams.get("at")).to.equal("1");
    });

    it("shows why numbers are not known of a moment before a fork began", async () => {
      const fork = await web.finished("a fork");
      await web.pipeline.servers.query(
        "UPDATE alert_sessions SET forked_from = $2, forked_at_seq = last_seq FROM session_runtime r WHERE r.session_id = $1 AND alert_sessions.session_id = $1",
        [fork, id],
      );
      const { page } = await web.open(`/s/${fork}?at=20`);
      await page.getByText("Tokens, cost and messages at this point are unknown:").waitFor();
      expect(await page.locator(".stage").count()).to.be.greaterThan(0);
    });

    it("has a trace, with a way back to the session of then", async () => {
      const { seq } = await halfway();
      const { page, problems } = await web.open(`/s/${id}?at=${seq}`);
      await page.getByRole("link", { name: "Trace" }).click();
      await page.getByText(`Showing the trace as of event ${seq}.`).waitFor();
      const rows = page.locator(".trace-body [role=option]");
      await rows.first().waitFor();
      const then = await rows.count();
      await page.keyboard.press("s");
      await page.getByText("Showing the session as it was at this point.").waitFor();
      await page.goto(web.url(`/s/${id}/trace?at=${seq}`));
      await page.getByRole("link", { name: "Back to now" }).click();
      await until("more calls now", async () => (await rows.count()) > then);
      expect(problems).to.deep.equal([]);
    });
  });
}
