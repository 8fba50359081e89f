import { expect } from "chai";
import type { Page } from "playwright-core";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import { axeViolations, expectAccessible } from "../support/axe.ts";
import { HOSTILE_TEXT } from "../support/session-script.ts";
import type { WebFixture } from "../support/web-fixture.ts";

const parseSeq = compileParser("number of an event", Type.Object({ seq: Type.Integer() }));

const SAME = "probe of checkout failed";
const LONG = "x".repeat(590);
const NOISE = Array.from({ length: 3_000 }, (_, n) => `noise ${n} around what is hostile`).join("\n");

/** The tools whose results are quoted. */
export const CHECKED_TOOLS = {
  events: { read_only: true, results: [{ text: `first\n${SAME}\nbetween\n${SAME}\nlast` }] },
  state: {
    read_only: true,
    results: [{ text: JSON.stringify({ ready: false, restarts: 15, image: LONG }) }],
  },
  attacks: { read_only: true, results: [{ text: `${NOISE}\n${HOSTILE_TEXT}\n${NOISE}` }] },
};

const tool = (name: string, args: object = {}) => ({ tool_call: { name, arguments: args } });
const claim = (id: string, text: string, source: string, quote: string, lines = "") => ({
  id,
  cause: 1,
  text,
  source,
  quote,
  lines,
});
const FIRST = [
  claim("c1", "The pods run", "r1", "pod-3 Running"),
  claim("c2", "A probe succeeded", "r3", "probe of checkout succeeded"),
  claim("c3", "The disk is full", "r1", "no space left on device"),
  claim("c4", "Metrics are gone", "r2", "connection refused"),
  claim("c5", "The probe failed twice", "r3", SAME, "4"),
  claim("c6", "It restarts", "r4", '"restarts": 15'),
  claim("c7", "<b>Hostile</b>", "r5", HOSTILE_TEXT.slice(0, 200)),
  claim("c8", "A long word", "r4", LONG),
  claim(
    "c9",
    "It is written from right to left: \u05e9\u05dc\u05d5\u05dd",
    "r1",
    "\u05e9\u05dc\u05d5\u05dd \u202Eexe",
  ),
  claim("c10", "It was not there", "r9", "nothing of the kind"),
  claim("c11", "It restarts", "r3", SAME),
  claim("c12", "The log goes on", "r6", "line 2000 of the log of a pod"),
  claim("c13", "The log is hostile", "r7", '<form action="http://127.0.0.1:9/form"><input name=a></form>'),
];
const conclusion = (claims: readonly object[]) =>
  tool("tarsy.conclude", {
    status: "confirmed",
    summary: "The probe fails.",
    confidence: 80,
    causes: [
      {
        entity: "deployment/checkout",
        kind: "resource_exhaustion",
        code: "OOM",
        statement: "Its memory is full.",
      },
    ],
    claims,
    ruled_out: [
      { theory: "DNS", because: "the names resolve", source: "r1", lines: "", quote: "pod-1 Running" },
    ],
    gaps: ["Whether it <i>grew</i>"],
    next_checks: ["Look at the limits"],
  });

/** What the model says to an alert with CHECKED: a conclusion, its correction, and an answer; with LIVE it takes its time. */
export const CHECKED_CALLS = [
  {
    when: { contains: "CHECKED", call: 1, tools: true },
    steps: ["pods", "broken", "events", "state", "hostile", "logs", "attacks"].map((name) =>
      tool(`k8s.${name}`, { of: name }),
    ),
  },
  { when: { contains: "CHECKED", call: 2, tools: true }, steps: [conclusion(FIRST)] },
  {
    when: { contains: "LIVE CHECKED", call: 3, tools: true },
    steps: [
      { thinking: "word ".repeat(400), chunk_size: 5, chunk_delay: "20ms" },
      conclusion(FIRST.filter(({ id }) => id === "c1")),
    ],
  },
  {
    when: { contains: "CHECKED", call: 3, tools: true },
    steps: [conclusion(FIRST.filter(({ id }) => id !== "c10"))],
  },
];

/** Needs a chain for alerts of the type `checked`, and the tools and calls above. */
export function checkedConclusions(web: WebFixture): void {
  describe("conclusions whose quotes were checked", () => {
    let id: string;
    before(async () => {
      id = await web.finished("CHECKED alert", { alert_type: "checked" });
    });

    const card = (page: Page) => page.locator(".checked");
    const quotesOf = (page: Page, text: string) =>
      card(page).locator(".checked-claims > li", { hasText: text }).locator(".checked-quote");
    const opened = async () => {
      const shown = await web.open(`/s/${id}`);
      await card(shown.page).getByText("Ruled out").waitFor();
      return shown;
    };

    it("are shown with their status, what was stated, and each claim with what became of its quote", async () => {
      const { page, problems, requests } = await opened();
      expect(await card(page).getByRole("status").textContent()).to.match(/Likely, 8 of 12 claims verified/u);
      const text = (await card(page).textContent()) ?? "";
      for (const part of [
        "stated confirmed · confidence 80 % · by Pods",
        "deployment/checkout",
        "resource exhaustion · OOM",
        "Whether it <i>grew</i>",
        "Look at the limits",
        "DNS: the names resolve",
      ]) {
        expect(text).to.include(part);
      }
      const outcome = async (claimed: string) => quotesOf(page, claimed).first().textContent();
      expect(await outcome("The pods run")).to.match(/✓ verified r1, line 5pod-3 Running/u);
      expect(await outcome("The disk is full")).to.match(
        /not found r1.*The source does not have these words\./u,
      );
      expect(await outcome("Metrics are gone")).to.match(
        /from an error.*An error shows nothing but itself\./u,
      );
      const altered = quotesOf(page, "A probe succeeded");
      expect(await altered.locator("blockquote").allTextContents()).to.deep.equal([
        "probe of checkout succeeded",
        SAME,
      ]);
      expect(await altered.locator("mark").allTextContents()).to.deep.equal(["succeeded"]);
      expect(await outcome("The log goes on")).to.match(
        /line 2001.*The timeline shows a part of this result/u,
      );
      expect(await quotesOf(page, "It restarts").count()).to.equal(2);
      expect(await card(page).locator("s").allTextContents()).to.deep.equal(["It was not there"]);
      expect(await outcome("It was not there")).to.include("There is no such source.");
      expect(problems).to.deep.equal([]);
      expect(requests.filter((url) => url.endsWith("/conclusion"))).to.have.length(1);
    });

    it("lead to the line of a result that shows a claim, and back, by keyboard", async () => {
      const { page } = await opened();
      const marked = page.locator(".entry.target mark.followed");
      const before = async () =>
        String(
          await page.evaluate(
            "document.querySelector('.entry.target mark.followed').previousSibling.textContent",
          ),
        );
      const inView = async () =>
        until("the marked words are in view", async () =>
          page.evaluate(
            "((place) => place.top > 0 && place.bottom < innerHeight)(document.querySelector('mark.followed').getBoundingClientRect())",
          ),
        );
      await quotesOf(page, "The probe failed twice").getByRole("link").press("Enter");
      await marked.waitFor();
      await inView();
      expect(await marked.allTextContents()).to.deep.equal([SAME]);
      expect(await before()).to.include("between");
      await page.getByRole("link", { name: "Cited in the conclusion" }).press("Enter");
      await until("the focus is back", async () =>
        page.evaluate("document.activeElement.closest('.checked-quote') !== null"),
      );
      // An earlier line of the same result, and JSON as it was quoted.
      await quotesOf(page, "It restarts").nth(1).getByRole("link").press("Enter");
      await until("the first of the lines is marked", async () => !(await before()).includes("between"));
      await inView();
      await quotesOf(page, "It restarts").first().getByRole("link").press("Enter");
      await marked.filter({ hasText: '"restarts":15' }).waitFor();
      await inView();
    });

    it("open a result of which the timeline has a part at their words, with hostile text around them", async () => {
      const { page, problems, requests } = await opened();
      const openIn = async (claimed: string) => {
        await quotesOf(page, claimed).getByText("Open the whole result at these words").press("Enter");
        const result = quotesOf(page, claimed).locator(".result");
        await result.locator("mark.followed").waitFor();
        return {
          marked: await result.locator("mark.followed").allTextContents(),
          label: await result.locator(".result-head > span.soft").textContent(),
          text: (await result.locator("pre").textContent()) ?? "",
        };
      };
      const log = await openIn("The log goes on");
      expect(log.label).to.equal("From line 1991 of 4000");
      expect(log.marked).to.deep.equal(["line 2000 of the log of a pod that restarts"]);
      expect(log.text.split("\n")).to.have.length(21);
      const hostile = await openIn("The log is hostile");
      expect(hostile.marked.join("")).to.include("<input name=a></form><style>*{display:none}</style>");
      expect(hostile.text).to.include("<script>window.hacked = 4</script>").and.include("exe.gnp red end");
      expect(await page.evaluate("window.hacked")).to.equal(undefined);
      expect(await card(page).locator("img, script, style, svg, iframe, form, b b, i").count()).to.equal(0);
      expect(requests.filter((url) => url.includes("/result?"))).to.have.length(2);
      expect(await axeViolations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
    });

    it("change while the page is open, and are shown as they were at an earlier moment", async () => {
      const live = await web.client.submit("LIVE CHECKED", { alert_type: "checked" });
      const { page, problems } = await web.open(`/s/${live}`);
      const status = card(page).getByRole("status");
      await status.getByText(", 8 of 13 claims verified").waitFor();
      await card(page).getByText("It was not there").waitFor();
      expect(await page.getByRole("heading", { name: "Final analysis" }).count()).to.equal(0);
      await status.getByText(", 1 of 1 claim verified").waitFor();
      await card(page).getByText("The disk is full").locator("xpath=self::s").waitFor();
      await web.client.waitFor(live, ["completed"]);
      const [seq = 0] = (
        await web.pipeline.servers.query(
          "SELECT seq::int FROM events WHERE session_id = $1 AND payload ->> 'type' = 'conclusion.checked' ORDER BY seq",
          [live],
        )
      ).map((row) => parseSeq(row).seq);
      await page.goto(web.url(`/s/${live}?at=${seq}`));
      await status.getByText(", 8 of 13 claims verified").waitFor();
      await card(page).getByText("The disk is full").waitFor();
      expect(await card(page).locator("s").count()).to.equal(0);
      await page.goto(web.url(`/s/${live}?at=${seq - 1}`));
      await page.locator(".stage").waitFor();
      await card(page).waitFor({ state: "detached" });
      expect(problems).to.deep.equal([]);
    });

    it("are in the list of sessions", async () => {
      const plain = await web.finished("an alert without one");
      const { page } = await web.open("/");
      const row = (one: string) => page.locator(`[data-session="${one}"]`);
      await row(id).getByText("Likely · 8/12 verified").waitFor();
      await row(plain).waitFor();
      expect(await row(plain).getByText("verified").count()).to.equal(0);
      expect(await axeViolations(page)).to.deep.equal([]);
    });

    it("break nothing with hostile text, are accessible and fit any window", async () => {
      const { page, problems } = await opened();
      expect(await page.evaluate("window.hacked")).to.equal(undefined);
      expect(await card(page).locator("img, script, style, svg, iframe, form, b b, i").count()).to.equal(0);
      expect(await card(page).textContent()).to.include("<U+202E>exe");
      const pictures = process.env["WEB_SCREENSHOTS"];
      await expectAccessible(page, {
        each: async (shown) => {
          if (pictures === undefined) return;
          await page.screenshot({ path: `${pictures}/checked-${shown}.png`, fullPage: true });
        },
      });
      expect(problems).to.deep.equal([]);
    });
  });
}
