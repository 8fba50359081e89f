import { mkdir, readFile, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { programsEnvironment } from "../../launcher/supervisor/plan-services.ts";
import { buildPage } from "../../services/web/build-page.ts";
import { BackingServers } from "../support/backing-servers.ts";
import { CHECKOUT } from "../support/spawn-service.ts";
import { TarsyClient } from "../support/tarsy-client.ts";
import { TarsySystem } from "../support/tarsy-system.ts";
import { TestBrowser } from "./support/browser.ts";
import { describeInBrowser } from "./support/describe-in-browser.ts";

const ALERT = join(CHECKOUT, "examples/alerts/pod-out-of-memory.txt");
/** Set to `docs/images`, it makes the picture of the README again. */
const PICTURES = process.env["WEB_DOCS_PICTURES"];
const MAX_PICTURE_BYTES = 150_000;

describeInBrowser("the demo on the page", () => {
  const resources = new AsyncDisposableStack();
  let url: string;
  let id: string;

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
    id = await client.submit(await readFile(ALERT, "utf8"));
    await client.waitFor(id, ["completed", "failed"]);
    url = system.api;
  });
  after(() => resources.disposeAsync());

  it("has a conclusion beside its alert, and three agents side by side", async () => {
    await using browser = await TestBrowser.start();
    const { page, problems } = await browser.open(`${url}/s/${id}`, { width: 1_200, height: 780 });
    await page.getByRole("heading", { name: "Pod checkout-7d9f6c5b84-x2lqk in namespa" }).waitFor();
    await page.locator(".conclusion .markdown").first().waitFor();
    await page.locator(".lanes.columns-3").waitFor();
    expect(problems).to.deep.equal([]);
    if (PICTURES === undefined) return;
    // What was concluded leaves no room in a picture for how: the analysis is folded.
    await page.locator(".conclusion details summary").click();
    await mkdir(PICTURES, { recursive: true });
    const path = join(PICTURES, "session.png");
    await page.screenshot({ path });
    expect((await stat(path)).size).to.be.lessThan(MAX_PICTURE_BYTES);
  });
});
