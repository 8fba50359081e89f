import type { TarsyClient } from "../../support/tarsy-client.ts";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/describe-in-browser.ts";
import { SESSION_CONFIG } from "../support/session-script.ts";
import { WebFixture } from "../support/web-fixture.ts";

/** More than a client takes that gives up. */
const FAILURES = 14;
/** More than a client waits between two connections. */
const PAUSE_MS = 8_000;

describeInBrowser("a session's page that reaches nobody for a while", () => {
  let web: WebFixture;
  let client: TarsyClient;

  before(async () => {
    web = await WebFixture.start({ config: SESSION_CONFIG });
    ({ client } = web.pipeline);
  });
  after(() => web?.[Symbol.asyncDispose]());
  afterEach(function () {
    web?.pipeline.showOutputOf(this.currentTest);
  });

  const submitEnded = async (): Promise<string> => {
    const id = await client.submit("the disk of node-7 is full");
    await client.waitFor(id, ["completed"]);
    return id;
  };

  it("shows the session once the api answers", async () => {
    const id = await submitEnded();
    const { page } = await web.browser.open(web.url("/"));
    await page.clock.install();
    await page.route("**/api/v1/sessions/*", (route) => route.abort());
    const refused = page.waitForEvent("requestfailed");
    await page.goto(web.url(`/s/${id}`));
    await refused;
    await page.unroute("**/api/v1/sessions/*");
    await page.clock.runFor(PAUSE_MS);
    await page.locator("h1", { hasText: "the disk of node-7 is full" }).waitFor();
    await page.locator(".stage").first().waitFor();
    await page.close();
  });

  it("goes on with the session however often the connection failed before", async () => {
    const id = await client.submit("HANG on a pod");
    const { page } = await web.browser.open(web.url("/"));
    await page.clock.install();
    const tries: string[] = [];
    await page.routeWebSocket("**/ws", (socket) => {
      tries.push(socket.url());
      if (tries.length > FAILURES) socket.connectToServer();
      else void socket.close();
    });
    await page.goto(web.url(`/s/${id}`));
    await until("the page has tried often", async () => {
      await page.clock.runFor(PAUSE_MS);
      return tries.length > FAILURES;
    });
    await client.request("POST", `/api/v1/sessions/${id}/cancel`);
    await page.locator(".session-state", { hasText: "Cancelled" }).waitFor();
    await page.close();
  });
});
