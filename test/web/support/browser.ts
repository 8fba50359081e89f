import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type BrowserContext, type Page } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "";
/** As long as the test itself: a wait of its own only ends a broken test. */
const TIMEOUT_MS = 240_000;
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** False where there is no browser. */
export function hasBrowser(): boolean {
  if (existsSync(CHROMIUM)) return true;
  const found = CHROMIUM === "" ? "none named" : `none at ${CHROMIUM}`;
  process.stdout.write(
    `    no browser (${found}): set CHROMIUM, such as /usr/bin/chromium, to test the page\n`,
  );
  return false;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
}

/** A page with what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts and of the content policy, in order. */
  readonly problems: readonly string[];
  /** The addresses that it asked for. */
  readonly requests: readonly string[];
}

/** A real browser with a profile of its own. */
export class TestBrowser implements AsyncDisposable {
  readonly #context: BrowserContext;
  readonly #profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.#context = context;
    this.#profile = profile;
  }

  static async start(): Promise<TestBrowser> {
    const profile = await mkdtemp(join(tmpdir(), "tarsy-browser-"));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM,
      args: FLAGS,
      locale: "en-GB",
      timezoneId: "UTC",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    return new TestBrowser(context, profile);
  }

  /** Opens an address in a new tab. */
  async open(
    url: string,
    { width = 1440, height = 900, scheme = "light" }: PageOptions = {},
  ): Promise<WatchedPage> {
    const page = await this.#context.newPage();
    const problems: string[] = [];
    const requests: string[] = [];
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("request", (request) => requests.push(request.url()));
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(url);
    return { page, problems, requests };
  }

  /** The pages that are open, without the first one, with which the browser would end. */
  get pages(): readonly Page[] {
    return this.#context.pages().slice(1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
    await rm(this.#profile, { recursive: true, force: true });
  }
}
