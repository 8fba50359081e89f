import { expect } from "chai";
import { SignInBrowser } from "../../../test/support/sign-in-browser.ts";
import { TestIdentityProvider } from "../../../test/support/identity-provider.ts";
import { ApiFixture } from "./api-fixture.ts";

/** As people know it; in the test the api is elsewhere, as behind a proxy that ends TLS. */
export const PAGE = "https://tarsy.example.com";
export const PEOPLE = {
  ann: { preferred_username: "Ann", groups: ["sre", "platform"], roles: ["oncall"] },
  bob: { groups: ["sales"] },
  // Entra's answer for people of very many groups.
  eve: { _claim_names: { groups: "src1" } },
};
/** What the page sends beside its cookie. */
export const PAGE_HEADER = { "x-tarsy-page": "" };

const isCallback = (address: string) => address.startsWith(`${PAGE}/api/v1/auth/callback?`);

/** Apis in which people sign in with an identity provider, all with the same servers. */
export class SignInFixture implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly provider: TestIdentityProvider;
  readonly api: ApiFixture;

  private constructor(provider: TestIdentityProvider, api: ApiFixture) {
    this.provider = this.#resources.use(provider);
    this.api = this.#resources.use(api);
  }

  static async start(): Promise<SignInFixture> {
    const provider = await TestIdentityProvider.open({ page: PAGE, people: PEOPLE });
    return new SignInFixture(provider, await startApi(provider));
  }

  /** One more api. */
  async replica(from = this.provider): Promise<ApiFixture> {
    return this.#resources.use(await startApi(from, {}, this.api));
  }

  /** Why an api does not start with these settings. */
  async failure(env: Record<string, string>, dashboard = PAGE): Promise<string> {
    const starting = startApi(this.provider, { env, dashboard }, this.api);
    return starting.then(
      () => "started",
      (error: unknown) => String(error),
    );
  }

  browser(at = this.api): SignInBrowser {
    return new SignInBrowser({ [PAGE]: `http://127.0.0.1:${at.port}` });
  }

  /** Signs in at the provider, and stops before the callback, whose address it returns. */
  async toCallback(browser: SignInBrowser, { login = "ann", to = "/triage?x=1#y" } = {}): Promise<string> {
    const start = `${PAGE}/api/v1/auth/login?to=${encodeURIComponent(to)}`;
    const { address } = await browser.open(start, { stop: isCallback });
    // Who has a session there already is not asked.
    return isCallback(address) ? address : (await browser.fillIn(address, login, isCallback)).address;
  }

  /** A browser in which Ann is signed in. */
  async signedIn(at = this.api): Promise<SignInBrowser> {
    const browser = this.browser(at);
    const response = await browser.send(await this.toCallback(browser));
    expect(response.status, await response.text()).to.equal(302);
    return browser;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

async function startApi(
  { environment }: TestIdentityProvider,
  { env = {}, dashboard = PAGE }: { env?: Record<string, string>; dashboard?: string } = {},
  beside?: ApiFixture,
): Promise<ApiFixture> {
  return ApiFixture.start({
    ...(beside === undefined ? {} : { servers: beside.servers }),
    config: { tarsy: { system: { dashboard_url: `${dashboard}/` } } },
    env: { ...environment, AUTH_ROLE_MAPPING: "oncall=operator", SUBMISSIONS_PER_MINUTE: "10", ...env },
  });
}

/** Sends a request of the page. */
export async function ask(browser: SignInBrowser, path: string, init: RequestInit = {}) {
  const headers = { ...PAGE_HEADER, ...Object.fromEntries(new Headers(init.headers)) };
  const response = await browser.send(`${PAGE}/api/v1/${path}`, { ...init, headers });
  const text = await response.text();
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  return { status: response.status, body };
}

/** Expects a refusal with this status and sentence. */
export async function refused(response: Response, status: number, sentence: RegExp): Promise<void> {
  const text = await response.text();
  expect(text).to.match(sentence);
  expect(response.status, text).to.equal(status);
}
