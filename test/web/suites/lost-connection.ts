import { until } from "../../support/until.ts";
import type { WebFixture } from "../support/web-fixture.ts";

/** More than a client takes that gives up. */
const FAILURES = 14;
/** More than a client waits between two connections. */
const PAUSE_MS = 8_000;

/** Needs the configuration SESSION_CONFIG. */
export function lostConnection(web: WebFixture): void {
  describe("a session's page that reaches no server for a while", () => {
    const submitEnded = async (): Promise<string> => {
      const id = await web.finished("the disk of node-7 is full");
      return id;
    };

    it("shows the session once the api answers", async () => {
      const id = await submitEnded();
      const { page } = await web.open("/");
      await page.clock.install();
      await page.route("**/api/v1/sessions/*/overview", (route) => route.abort());
      const refused = page.waitForEvent("requestfailed");
      await page.goto(web.url(`/s/${id}`));
      await refused;
      await page.unroute("**/api/v1/sessions/*/overview");
      await page.clock.runFor(PAUSE_MS);
      await page.locator("h1", { hasText: "the disk of node-7 is full" }).waitFor();
      await page.locator(".stage").first().waitFor();
    });

    it("goes on with the session however often the connection failed before", async () => {
      const id = await web.client.submit("HANG on a pod");
      const { page } = await web.open("/");
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
      await web.client.request("POST", `/api/v1/sessions/${id}/cancel`);
      await page.locator(".session-state", { hasText: "Cancelled" }).waitFor();
    });
  });
}
