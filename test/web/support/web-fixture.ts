import { join } from "node:path";
import type { Test } from "mocha";
import type { Page } from "playwright-core";
import { buildPage } from "../../../services/web/build-page.ts";
import { PipelineFixture } from "../../support/pipeline-fixture.ts";
import { CHECKOUT } from "../../support/spawn-service.ts";
import type { TarsyClient } from "../../support/tarsy-client.ts";
import { TestBrowser, type PageOptions, type WatchedPage } from "./browser.ts";

export type PipelineOptions = NonNullable<Parameters<typeof PipelineFixture.start>[0]>;

const ENDED = ["completed", "failed", "cancelled", "timed_out"];

interface Started {
  readonly pipeline: PipelineFixture;
  readonly browser: TestBrowser;
}

/** All services with the built page, and a browser, which the suites of a test file share. */
export class WebFixture implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  #started: Started | undefined;

  async start(options: PipelineOptions): Promise<void> {
    await buildPage(join(CHECKOUT, "services/web/dist"));
    const pipeline = this.#resources.use(await PipelineFixture.start(options));
    const browser = this.#resources.use(await TestBrowser.start());
    this.#started = { pipeline, browser };
  }

  get pipeline(): PipelineFixture {
    return this.#parts.pipeline;
  }

  get client(): TarsyClient {
    return this.pipeline.client;
  }

  get #parts(): Started {
    if (this.#started === undefined) throw new Error("the services have not been started");
    return this.#started;
  }

  /** The address of a path of the page. */
  url(path: string): string {
    return `${this.pipeline.system.api}${path}`;
  }

  /** Opens a path of the page, or a whole address, in a new tab, which ends with the test. */
  async open(path: string, options: PageOptions = {}): Promise<WatchedPage> {
    return this.#parts.browser.open(new URL(path, this.url("/")).href, options);
  }

  /** What a test has opened so far. */
  get pages(): readonly Page[] {
    return this.#parts.browser.pages;
  }

  /** Submits an alert and resolves with the id of its session once that has ended. */
  async finished(alert: string, fields: object = {}): Promise<string> {
    const id = await this.client.submit(alert, fields);
    await this.client.waitFor(id, ENDED);
    return id;
  }

  /** Closes what a test has opened, and prints what the services wrote if it failed. */
  async endTest(test: Test | undefined): Promise<void> {
    this.pipeline.showOutputOf(test);
    for (const page of this.pages) await page.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
