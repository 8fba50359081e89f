import { expect } from "chai";
import type { Page } from "playwright-core";
import { until } from "../../support/until.ts";
import { seedLargeSession } from "../support/seed-large-session.ts";
import type { WebFixture } from "../support/web-fixture.ts";

const PER_LANE = 2_090;
const MAX_FIRST_BYTES = 30_000;
const READING = /^Reading the session: [1-6],\d{3} of 6,3\d\d events$/u;
const LOADS = 20;
/** 50 KiB/s, and 400 ms until an answer begins. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50 * 1024, uploadThroughput: 50 * 1024 };

/** Keeps every text that the page shows for how the session stands, however briefly. */
const KEEP_TEXTS = `
  window.shown = { status: [], duration: [], reading: [], cancel: 0 };
  const keep = (name, text) => text !== undefined && !window.shown[name].includes(text) && window.shown[name].push(text);
  new MutationObserver(() => {
    keep("status", document.querySelector(".session-state > .status-dot")?.textContent);
    keep("duration", [...document.querySelectorAll(".session-numbers dt")].find((one) => one.textContent === "Duration")?.nextSibling.textContent);
    keep("reading", document.querySelector(".reading")?.textContent);
    window.shown.cancel += document.querySelectorAll(".session-actions .danger").length;
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;

/** A blank page on a slow line; what it asks of the api, in the order in which requests leave and their bytes arrive. */
async function openSlowly(web: WebFixture) {
  const { page } = await web.open("about:blank");
  const line = await page.context().newCDPSession(page);
  const asked = new Map<string, string>();
  const order: string[] = [];
  const bytes = new Map<string, number>();
  line.on("Network.requestWillBeSent", ({ requestId, request }) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith("/api/")) return;
    asked.set(requestId, `${pathname}${search}`);
    order.push(`asked ${pathname}${search}`);
  });
  line.on("Network.dataReceived", ({ requestId, dataLength }) => {
    const path = asked.get(requestId);
    if (path === undefined) return;
    if (!bytes.has(path)) order.push(`got ${path}`);
    bytes.set(path, (bytes.get(path) ?? 0) + dataLength);
  });
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", SLOW);
  await page.addInitScript(KEEP_TEXTS);
  return { page, order, bytes };
}

const top = async (page: Page) => page.evaluate("window.scrollY");

/** Needs the configuration SESSION_CONFIG. */
export function slowLine(web: WebFixture): void {
  describe("a long session that has ended", () => {
    let id: string;

    before(async () => {
      ({ id } = await seedLargeSession(web.pipeline.servers, web.pipeline.client, PER_LANE));
    });

    it("says over a slow line from one small answer how it ended, and never anything else", async () => {
      const { page, order, bytes } = await openSlowly(web);
      const session = `/api/v1/sessions/${id}`;
      await page.goto(web.url(`/s/${id}`));
      await page.locator(".conclusion .markdown", { hasText: "memory" }).waitFor();
      const pages = order.filter((line) => line.startsWith(`got ${session}/events`));
      expect(pages.length, order.join("\n")).to.be.lessThan(3);
      for (const text of ["Completed", "large session", "In short."]) {
        expect(await page.locator("main").textContent(), text).to.include(text);
      }
      await page.locator(".stage").first().waitFor();
      const own = order.filter((line) => line.includes(session));
      expect(own.slice(0, 3)).to.deep.equal([
        `asked ${session}/overview`,
        `got ${session}/overview`,
        `asked ${session}/events?after_seq=0&limit=1000`,
      ]);
      expect(bytes.get(`${session}/overview`))
        .to.be.greaterThan(0)
        .and.lessThan(MAX_FIRST_BYTES);
      const asked = own.filter((line) => line.startsWith(`asked ${session}/events`));
      expect(new Set(asked).size, own.join("\n")).to.equal(asked.length);
      const shown = await page.evaluate<Record<string, readonly string[]>>("window.shown");
      expect(shown).to.deep.include({ status: ["✓Completed"], cancel: 0 });
      expect(shown["duration"]).to.have.length(1);
      const progress = (shown["reading"] ?? []).filter((text) => READING.test(text));
      expect(progress.length, shown["reading"]?.join("\n")).to.be.greaterThan(2);
      expect(await top(page)).to.equal(0);
    });

    it("opens at its top, by its address and from the list, in any window", async () => {
      for (const [width, height] of [
        [1_440, 900],
        [390, 844],
      ] as const) {
        const { page } = await web.open(`/s/${id}`, { width, height });
        await page.locator(".connection").waitFor({ state: "detached" });
        await until("all of it is laid out", async () =>
          page.evaluate("document.documentElement.scrollHeight > 50_000"),
        );
        expect(await top(page), `${width}`).to.equal(0);
        await page.goto(web.url("/"));
        await page.locator(`[data-session="${id}"] .session-link`).click();
        await page.locator(".conclusion").waitFor();
        await page.locator(".connection").waitFor({ state: "detached" });
        await until("all of it is laid out", async () =>
          page.evaluate("document.documentElement.scrollHeight > 50_000"),
        );
        expect(await top(page), `${width} from the list`).to.equal(0);
      }
    });
  });

  describe("a session that runs", () => {
    it("opens at its top each time, and follows its end for those who go there", async () => {
      const id = await web.client.submit("SLOW pod");
      const { page } = await web.open("/", { height: 500 });
      for (let load = 0; load < LOADS; load += 1) {
        await page.goto(web.url(`/s/${id}`));
        await page.locator(".entry .live, .conclusion").first().waitFor();
        expect(await top(page), `load ${load}`).to.equal(0);
      }
    });
  });
}
