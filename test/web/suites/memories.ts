import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { until } from "../../support/until.ts";
import { axeViolations, expectAccessible } from "../support/axe.ts";
import { HOSTILE_TEXT } from "../support/session-script.ts";
import type { WebFixture } from "../support/web-fixture.ts";

export const QUOTA = "The quota of numbat is small.";

/** Needs the configuration of after-the-end.test.ts. */
export function memories(web: WebFixture): void {
  describe("memories", () => {
    afterEach(async () => {
      await web.pipeline.servers.query("DELETE FROM investigation_memories", []);
    });

    const remember = async (content: string, count = 1) => {
      await web.pipeline.servers.query(
        `INSERT INTO investigation_memories (memory_id, content, category, valence, base_confidence, teams, origin)
       SELECT gen_random_uuid(), $1 || CASE $2::int WHEN 1 THEN '' ELSE ' ' || n END, 'procedural', 'neutral', 0.7, '{}', 'investigation'
       FROM generate_series(1, $2::int) AS n`,
        [content, count],
      );
    };

    it("are shown on the session that taught them, and on those whose agents were told of them", async () => {
      const taught = await web.finished("numbat is full");
      const { page, problems } = await web.open(`/s/${taught}`);
      await page.locator("summary").getByRole("heading", { name: "Memories" }).click();
      await page.getByText("Nothing was learned from this session.").waitFor();
      await web.client.request("PATCH", "/api/v1/sessions/review", {
        session_ids: [taught],
        action: "complete",
        quality_rating: "accurate",
        investigation_feedback: "It was the quota of the numbat.",
      });
      const learned = page.getByRole("region", { name: "Learned from this session" });
      await learned.getByText(QUOTA).waitFor();
      expect(await learned.textContent())
        .to.include("fact")
        .and.include("90% confidence");
      await page.locator(".review-state", { hasText: "Reviewed" }).waitFor();
      const told = await web.finished("numbat is full again");
      await page.goto(web.url(`/s/${told}`));
      const row = page.locator(".entry.memory_injected").first();
      await row.locator(".entry-line").click();
      await row.getByRole("link", { name: "Memories" }).click();
      const injected = page.getByRole("region", { name: "Given to its agents" });
      await injected.getByText(QUOTA).waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await injected.getByRole("link", { name: "source session" }).click();
      await page.waitForURL(`**/s/${taught}`);
      await page.locator("summary").getByRole("heading", { name: "Memories" }).click();
      await page.getByRole("link", { name: "View or edit what was learned" }).click();
      await page.waitForURL(`**/memories?source=${taught}`);
      await page.locator(".memories").getByText(QUOTA).waitFor();
      expect(problems).to.deep.equal([]);
    });

    it("are in a menu that has one line on a phone, with the present screen in view", async () => {
      const { page } = await web.open("/memories", { width: 390 });
      const menu = page.getByRole("navigation", { name: "Main" });
      const link = menu.getByRole("link", { name: "Memories" });
      await link.waitFor();
      await page.getByText("No memories yet").waitFor();
      const [around, inside] = await Promise.all([menu.boundingBox(), link.boundingBox()]);
      expect(around?.height).to.be.lessThan(45);
      expect(inside?.x).to.be.within(around?.x ?? 0, (around?.x ?? 0) + (around?.width ?? 0) / 2);
    });

    it("are found, paged, corrected and deleted by keyboard", async () => {
      await remember("numbat", 25);
      await remember("<b>wombat</b>");
      const { page, problems } = await web.open("/");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("memories");
      await page.keyboard.press("Enter");
      await page.getByText("26 memories").waitFor();
      await page.getByRole("link", { name: "Next" }).click();
      await page.waitForURL("**/memories?page=2");
      await until("the rest", async () => (await page.locator(".memories > li").count()) === 6);
      await page.getByLabel("Status").selectOption("retired");
      await page.waitForURL("**/memories?deprecated=true");
      await page.getByText("No memories match these filters.").waitFor();
      await page.getByRole("link", { name: "Clear filters" }).click();
      await page.getByText("26 memories").waitFor();
      await page.keyboard.press("j");
      const item = page.locator(".memories > li:focus-within, .memories > li:focus");
      const text = (await item.locator(".memory-content").textContent()) ?? "";
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      const field = page.getByLabel("Memory text");
      await until("the form has the focus", async () =>
        field.evaluate((one) => one === document.activeElement),
      );
      await page.keyboard.press("Control+A");
      await page.keyboard.type("wombats dig");
      await page.getByLabel("Retired: agents no longer receive it").press("Space");
      await page.getByRole("button", { name: "Save" }).press("Enter");
      await page.getByText("Memory updated.").waitFor();
      const changed = page.locator(".memories > li", { hasText: "wombats dig" });
      await changed.getByText("retired").waitFor();
      expect(await page.locator(".memories").getByText(text, { exact: true }).count()).to.equal(0);
      expect(await page.evaluate("document.activeElement?.textContent")).to.equal("Edit");
      const remove = changed.getByRole("button", { name: "Delete" });
      await remove.press("Enter");
      await page.getByRole("dialog", { name: "Delete this memory?" }).waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.keyboard.press("Escape");
      expect(await page.evaluate("document.activeElement?.textContent")).to.equal("Delete");
      await remove.press("Enter");
      await page.getByRole("button", { name: "Delete memory" }).press("Enter");
      await page.getByText("Memory deleted.").waitFor();
      await page.getByText("25 memories").waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog").getByText("Next memory").waitFor();
      expect(problems).to.deep.equal([]);
    });

    it("keep what was typed if the api refuses it, and have no buttons for those who may not change them", async () => {
      await remember("numbat");
      const { page } = await web.open("/memories");
      await page.route("**/api/v1/memories/*", async (route) =>
        route.fulfill({ status: 503, json: { message: "masking the secrets in the content failed" } }),
      );
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Memory text").fill("wombat");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").getByText("masking the secrets").waitFor();
      expect(await page.getByLabel("Memory text").inputValue()).to.equal("wombat");
      await page.route("**/api/v1/memories?*", async (route) => {
        const text = await (await route.fetch()).text();
        await route.fulfill({ body: text.replace('"may_change":true', '"may_change":false') });
      });
      await page.reload();
      await page.locator(".memories > li").waitFor();
      expect(await page.locator(".memories button").count()).to.equal(0);
    });

    it("may be hostile: they are shown as text", async () => {
      await remember(HOSTILE_TEXT);
      const { page, problems } = await web.open("/memories");
      await page.locator(".memory-content").waitFor();
      expect(await page.locator(".memory-content").textContent()).to.include("exe.<U+202E>gnp");
      expect(await page.locator(".memory-content *").count()).to.equal(0);
      expect(await page.evaluate("window.hacked")).to.equal(undefined);
      expect(problems).to.deep.equal([]);
    });

    it("are accessible and fit any window", async () => {
      await remember("The quota of the numbat is small, and nobody watches it. ".repeat(6), 3);
      const { page } = await web.open(`/memories?source=${randomUUID()}`);
      await page.getByText("No memories match these filters.").waitFor();
      await page.getByRole("link", { name: "Clear filters" }).click();
      await page.getByText("3 memories").waitFor();
      await page.getByRole("button", { name: "Edit" }).first().click();
      await expectAccessible(page);
    });
  });
}

/** Needs the configuration SESSION_CONFIG. */
export function noMemories(web: WebFixture): void {
  describe("memories where memory is off", () => {
    it("are no part of a session, and their screen says what switches them on", async () => {
      const id = await web.finished("pods restart");
      const { page } = await web.open("/memories");
      await page.getByText("Memory is off").waitFor();
      await page.getByText("enabled: true").waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.goto(web.url(`/s/${id}`));
      await page.getByRole("region", { name: "Questions about this investigation" }).waitFor();
      expect(await page.getByRole("heading", { name: "Memories" }).count()).to.equal(0);
    });
  });
}
