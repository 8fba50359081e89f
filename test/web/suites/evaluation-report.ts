import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { renderHtml } from "../../../lab/evaluation/report/render-html.ts";
import { sampleReport } from "../../../lab/evaluation/test/sample-report.ts";
import { axeViolations } from "../support/axe.ts";
import { HOSTILE_TEXT } from "../support/session-script.ts";
import type { WebFixture } from "../support/web-fixture.ts";

export function evaluationReport(web: WebFixture): void {
  describe("the report of an evaluation", () => {
    let directory: string;

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), "tarsy-report-"));
    });
    after(async () => {
      await rm(directory, { recursive: true, force: true });
    });

    const VIEWS = [
      { name: "wide", width: 1280, height: 900, scheme: "light" },
      { name: "phone", width: 360, height: 740, scheme: "dark" },
    ] as const;
    for (const { name, ...view } of VIEWS) {
      it(`is accessible, loads nothing and runs nothing: ${name}, ${view.scheme}`, async () => {
        const file = join(directory, `${name}.html`);
        await writeFile(file, renderHtml(sampleReport(HOSTILE_TEXT)));
        const url = pathToFileURL(file).href;
        const { page, problems, requests } = await web.open(url, view);
        // One of each kind: axe looks at every text that is shown.
        for (const kind of ["pass", "fail", "error", "missing"]) {
          const cell = page.locator("details.cell", { has: page.locator(`summary .${kind}`) }).first();
          await cell.evaluate((element) => element.setAttribute("open", ""));
        }
        expect(await axeViolations(page)).to.deep.equal([]);
        const width: unknown = await page.evaluate("document.documentElement.scrollWidth");
        expect(width).to.equal(view.width);
        // The texts are shown as they are.
        const text = HOSTILE_TEXT.slice(0, 60);
        expect(await page.locator(".text").first().textContent()).to.contain(text);
        expect(await page.locator("script, img, iframe, link, object").count()).to.equal(0);
        expect(requests).to.deep.equal([url]);
        expect(problems).to.deep.equal([]);
      });
    }

    it("leads from the heat map to a cell", async () => {
      const file = join(directory, "links.html");
      await writeFile(file, renderHtml(sampleReport("plain")));
      const { page } = await web.open(pathToFileURL(file).href);
      await page.locator(".heat a").first().click();
      const id = new URL(page.url()).hash.slice(1);
      expect(await page.locator(`details[id="${id}"]`).count()).to.equal(1);
    });
  });
}
