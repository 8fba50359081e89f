import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";
import { axeViolations } from "../support/axe.ts";
import type { WatchedPage } from "../support/browser.ts";
import type { WebFixture } from "../support/web-fixture.ts";

const SESSION_ADDRESS = /\/s\/(?<id>[0-9a-f-]{36})/u;
const RESULT = "pod-0 does not run";

const parseOrigin = compileParser(
  "a fork",
  Type.Object(
    {
      forked_from: Type.Object(
        {
          session_id: Type.String(),
          at_seq: Type.Integer(),
          tools: Type.String(),
          changes: Type.Record(Type.String(), Type.Unknown()),
        },
        { additionalProperties: true },
      ),
    },
    { additionalProperties: true },
  ),
);

/** Needs the configuration SESSION_CONFIG. */
export function forks(web: WebFixture): void {
  describe("forks on the page", () => {
    let parent: string;

    before(async () => {
      parent = await web.finished("the shop is slow");
    });

    const originOf = async (id: string) => {
      const response = await fetch(`${web.pipeline.system.api}/api/v1/sessions/${id}`);
      return parseOrigin(await response.json()).forked_from;
    };
    /** The session to which the page goes once a fork has started. */
    const forkOf = async ({ page }: WatchedPage) => {
      let id: string | undefined;
      await until("the fork is shown", () => {
        id = SESSION_ADDRESS.exec(page.url())?.groups?.["id"];
        return id !== undefined && id !== parent;
      });
      return id ?? "";
    };

    it("start from an entry, with another result of its tool, and are compared", async () => {
      const watched = await web.open(`/s/${parent}`);
      const { page, problems } = watched;
      const pods = page.locator(".entry", { hasText: "k8s.pods" }).first();
      await pods.locator(".entry-line").click();
      await pods.getByRole("button", { name: "Fork from here" }).click();
      const dialog = page.getByRole("dialog", { name: "Fork this session" });
      await dialog.getByText("Result of k8s.pods").click();
      await dialog.getByLabel("Result shown to the model").fill(RESULT);
      await dialog.getByText("edited").waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await dialog.getByRole("button", { name: "Start fork" }).click();
      const fork = await forkOf(watched);
      const origin = await originOf(fork);
      expect(origin).to.include({ session_id: parent, tools: "recorded" });
      expect(origin.changes).to.have.property("tool_result");
      await web.client.waitFor(fork, ["completed"]);
      await page.locator(".conclusion").waitFor();
      await page.locator(".lineage").getByText("edited tool result").waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.locator(".lineage").getByRole("link", { name: "Compare" }).click();
      const first = page.locator(".compare-first");
      await first.locator("ins").first().waitFor();
      expect(await first.locator(".compare-text").nth(1).textContent()).to.include(RESULT);
      expect(await page.locator(".compare-pair.first").count()).to.equal(1);
      expect(await page.locator(".compare-conclusion").count()).to.equal(2);
      expect(await axeViolations(page)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
    });

    it("are listed by their parent, which leads to them and to the comparison", async () => {
      const id = await web.finished("a parent");
      const response = await fetch(`${web.pipeline.system.api}/api/v1/sessions/${id}/fork`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ changes: { max_iterations: 7 } }),
      });
      expect(response.status).to.equal(202);
      const { page } = await web.open(`/s/${id}`);
      const lineage = page.locator(".lineage");
      await lineage.getByText("iteration limit 7").waitFor();
      await page.goto(web.url(`/compare/${id}`));
      await page.locator("#compare-forks").waitFor();
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByText("Enter a session ID or link.").waitFor();
      await page.getByLabel("Other session").fill(web.url(`/s/${parent}?at=3`));
      await page.getByRole("button", { name: "Compare" }).click();
      await page.waitForURL(`**/compare/${id}/${parent}`);
      const conclusions = await page.getByRole("heading", { name: "Conclusions" }).boundingBox();
      const step = await page.locator(".compare-first, .compare-same").first().boundingBox();
      expect(conclusions?.y).to.be.below(step?.y ?? 0);
      await page.getByRole("link", { name: /^A · / }).waitFor();
      await page.getByRole("link", { name: "Swap" }).click();
      await page.waitForURL(`**/compare/${parent}/${id}`);
    });

    it("say at the field what the api does not take, and start from the step that is shown", async () => {
      const watched = await web.open(`/s/${parent}?at=30`);
      const { page } = watched;
      await page.locator(".past-note").waitFor();
      await page.locator(".time-slider").getByRole("button", { name: "Fork from here" }).click();
      const dialog = page.getByRole("dialog", { name: "Fork this session" });
      const step = Number(await dialog.getByLabel("Fork after step").inputValue());
      expect(step).to.be.within(1, 40);
      await dialog.getByLabel("Iteration limit").fill("0");
      await dialog.getByRole("button", { name: "Start fork" }).click();
      await dialog.locator("#fork-maxIterations-failure", { hasText: "max_iterations" }).waitFor();
      await dialog.getByLabel("Iteration limit").fill("9");
      await dialog.getByLabel("Live").check();
      await dialog.getByRole("button", { name: "Start fork" }).click();
      const origin = await originOf(await forkOf(watched));
      expect(origin).to.deep.include({ at_seq: step, tools: "live", changes: { max_iterations: 9 } });
    });

    it("are closed by Escape, and the focus is back", async () => {
      const { page } = await web.open(`/s/${parent}`);
      const button = page.locator(".time-slider").getByRole("button", { name: "Fork from here" });
      await button.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await button.evaluate((element) => element === document.activeElement)).to.equal(true);
    });

    it("show what hostile models and tools wrote as text", async () => {
      const hostile = await web.finished("HOSTILE");
      const { page, problems, requests } = await web.open(`/compare/${parent}/${hostile}`);
      await page.locator(".compare-first").waitFor();
      await page.getByText("exe.<U+202E>gnp").first().waitFor({ state: "attached" });
      expect(requests.filter((url) => !url.startsWith(web.url("/")))).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
      expect(await page.evaluate("window.hacked")).to.equal(undefined);
      const inText = page.locator(".compare-text, .compare-preview, .markdown");
      expect(
        await inText.locator("img, script, style, svg, iframe, form, input, [id], [style]").count(),
      ).to.equal(0);
    });

    it("fit on a phone, in the dark", async () => {
      const { page } = await web.open(`/compare/${parent}/${parent}`, { width: 360, scheme: "dark" });
      await page.getByText("Both sessions took the same steps.").waitFor();
      await page.getByText("6 equal steps").first().click();
      const shown = page.locator(".compare-pair:visible", { hasText: "k8s.pods" });
      await shown.first().waitFor();
      expect(await shown.count()).to.equal(1);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).to.be.at.most(360);
      expect(await axeViolations(page)).to.deep.equal([]);
    });
  });
}
