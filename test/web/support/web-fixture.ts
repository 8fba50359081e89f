import { join } from "node:path";
import { buildPage } from "../../../services/web/build-page.ts";
import { PipelineFixture } from "../../support/pipeline-fixture.ts";
import { CHECKOUT } from "../../support/spawn-service.ts";
import { TestBrowser } from "./browser.ts";

type PipelineOptions = NonNullable<Parameters<typeof PipelineFixture.start>[0]>;

/** All services with the built page, and a browser. */
export class WebFixture implements AsyncDisposable {
  readonly #resources: AsyncDisposableStack;
  readonly pipeline: PipelineFixture;
  readonly browser: TestBrowser;

  private constructor(resources: AsyncDisposableStack, pipeline: PipelineFixture, browser: TestBrowser) {
    this.#resources = resources;
    this.pipeline = pipeline;
    this.browser = browser;
  }

  static async start(options: PipelineOptions): Promise<WebFixture> {
    await using resources = new AsyncDisposableStack();
    await buildPage(join(CHECKOUT, "services/web/dist"));
    const pipeline = resources.use(await PipelineFixture.start(options));
    const browser = resources.use(await TestBrowser.start());
    return new WebFixture(resources.move(), pipeline, browser);
  }

  /** The address of a path of the page. */
  url(path: string): string {
    return `${this.pipeline.system.api}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
