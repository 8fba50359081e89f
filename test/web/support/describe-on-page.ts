import { hasBrowser } from "./browser.ts";
import { WebFixture, type PipelineOptions } from "./web-fixture.ts";

/** Like `describe`, where there is a browser. Elsewhere the suite has no tests: pending ones count as failures. */
export function describeInBrowser(title: string, body: () => void): void {
  if (hasBrowser()) describe(title, body);
}

/** Describes suites of the page that share the services, with these options, and a browser. */
export function describeOnPage(
  title: string,
  options: PipelineOptions | (() => Promise<PipelineOptions>),
  body: (web: WebFixture) => void,
): void {
  describeInBrowser(title, () => {
    const web = new WebFixture();
    before(async () => web.start(typeof options === "function" ? await options() : options));
    body(web);
    // After the hooks of the suites, which may need the pages.
    afterEach(async function () {
      await web.endTest(this.currentTest);
    });
    after(async () => web[Symbol.asyncDispose]());
  });
}
