import { copyFile, readFile, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { programsEnvironment } from "../../launcher/supervisor/plan-services.ts";
import { buildPage } from "../../services/web/build-page.ts";
import { BackingServers } from "../support/backing-servers.ts";
import { recordTerminal } from "../support/record-terminal.ts";
import { CHECKOUT } from "../support/spawn-service.ts";
import { TarsyClient } from "../support/tarsy-client.ts";
import { TarsySystem } from "../support/tarsy-system.ts";
import { TestBrowser } from "./support/browser.ts";
import { describeInBrowser } from "./support/describe-on-page.ts";

const ALERT = "examples/alerts/pod-out-of-memory.txt";
/** What the last run looked like. */
const ARTEFACTS = join(CHECKOUT, ".tarsy", "artefacts");
/** Set to `docs/images`, it makes the picture of the README again. */
const PICTURES = process.env["WEB_DOCS_PICTURES"];
const MAX_PICTURE_BYTES = 250_000;
const parseEvent = compileParser(
  "event of an asciicast",
  Type.Tuple([Type.Number(), Type.Literal("o"), Type.String()]),
);

describeInBrowser("the demo on the page", () => {
  const resources = new AsyncDisposableStack();
  let browser: TestBrowser;
  let url: string;
  let id: string;
  let terminal: Awaited<ReturnType<typeof recordTerminal>>;

  before(async () => {
    await buildPage(join(CHECKOUT, "services/web/dist"));
    const servers = resources.use(await BackingServers.choose({}));
    const PATH = process.env["PATH"]?.split(delimiter).filter((folder) => !folder.includes("node_modules"));
    const env = programsEnvironment("tool-runner", {
      root: CHECKOUT,
      env: { PATH: PATH?.join(delimiter) },
    });
    const configDir = join(CHECKOUT, "deploy/config/demo");
    const system = resources.use(await TarsySystem.start({ servers, configDir, env }));
    const client = new TarsyClient(system);
    terminal = await recordTerminal({
      command: `node examples/alert.ts ${ALERT}`,
      directory: CHECKOUT,
      env: { ...process.env, TARSY_API_URL: system.api, TARSY_WS_URL: system.ws },
      title: `npm run alert -- ${ALERT}`,
      path: join(ARTEFACTS, "alert.cast"),
    });
    const { body } = await client.request("GET", "/api/v1/sessions");
    [id = ""] = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/u.exec(JSON.stringify(body["sessions"])) ?? [];
    url = system.api;
    browser = resources.use(await TestBrowser.start());
  });
  after(() => resources.disposeAsync());

  it("is followed in a terminal to its end, which is recorded", async () => {
    expect(terminal.code).to.equal(0);
    expect(terminal.output).to.match(/Session completed after [\d.]+ s/u);
    const [header = "", ...events] = (await readFile(join(ARTEFACTS, "alert.cast"), "utf8"))
      .trim()
      .split("\n");
    expect(JSON.parse(header)).to.include({ version: 2, width: 110 });
    const texts = events.map((event) => parseEvent(JSON.parse(event))[2]);
    expect(texts.join("")).to.equal(terminal.output);
  });

  for (const [name, path, shown] of [
    ["sessions", "/", "text=Pod checkout-7d9f6c5b84-x2lqk"],
    ["trace", "/s/:id/trace", "text=cluster-files.read_text_file"],
    ["dark", "/s/:id", ".lanes.columns-3"],
  ] as const) {
    it(`is kept as a picture: ${name}`, async () => {
      const scheme = name === "dark" ? "dark" : "light";
      const { page, problems } = await browser.open(`${url}${path.replace(":id", id)}`, { scheme });
      await page.locator(shown).first().waitFor();
      await page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
      expect(problems).to.deep.equal([]);
    });
  }

  it("has a conclusion beside its alert, and three agents side by side", async () => {
    const { page, problems } = await browser.open(`${url}/s/${id}`, { width: 1_200, height: 1_200 });
    await page.getByRole("heading", { name: "Pod checkout-7d9f6c5b84-x2lqk in namespa" }).waitFor();
    await page.locator(".conclusion .markdown").first().waitFor();
    await page.locator(".lanes.columns-3").waitFor();
    expect(problems).to.deep.equal([]);
    // The evidence comes with code of its own, a moment after the analysis.
    await page.getByText("Causes and evidence").waitFor();
    // The picture shows the conclusion, its proof and the agents: the analysis is folded.
    await page.locator(".conclusion summary").filter({ hasText: "Final analysis" }).click();
    await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
    const path = join(ARTEFACTS, "session.png");
    await page.screenshot({ path });
    if (PICTURES === undefined) return;
    expect((await stat(path)).size).to.be.lessThan(MAX_PICTURE_BYTES);
    await copyFile(path, join(CHECKOUT, PICTURES, "session.png"));
  });
});
