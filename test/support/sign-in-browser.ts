/** A browser as far as a sign-in needs one: it keeps cookies by their site, and follows redirects one by one. */
export class SignInBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #places: Readonly<Record<string, string>>;

  /** `places` has the addresses at which sites are in truth, by their origins. */
  constructor(places: Readonly<Record<string, string>> = {}) {
    this.#places = places;
  }

  /** The cookies of a site, which a test may change. */
  cookiesOf(origin: string): Map<string, string> {
    const known = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, known);
    return known;
  }

  /** Sends one request with the cookies of its site. */
  async send(address: string, init: RequestInit = {}): Promise<Response> {
    const { origin, href } = new URL(address);
    const cookies = this.cookiesOf(origin);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = {
      ...(cookie === "" ? {} : { cookie }),
      ...Object.fromEntries(new Headers(init.headers)),
    };
    const place = href.replace(origin, this.#places[origin] ?? origin);
    const response = await fetch(place, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";", 1)[0]?.split(/=(.*)/su) ?? [];
      if (value === "" || line.includes("Max-Age=0")) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  /** Opens an address and follows redirects, up to one whose address `stop` knows. Returns the last address and answer. */
  async open(
    address: string,
    { init = {}, stop = () => false }: { init?: RequestInit; stop?: (address: string) => boolean } = {},
  ): Promise<{ address: string; response: Response }> {
    const response = await this.send(address, init);
    const location = response.headers.get("location");
    if (location === null) return { address, response };
    const next = new URL(location, address).href;
    return stop(next) ? { address: next, response } : this.open(next, { stop });
  }

  /** Signs in at the provider whose form is at this address; stops before the address that `stop` knows. */
  async fillIn(address: string, login: string, stop: (address: string) => boolean) {
    const body = new URLSearchParams({ prompt: "login", login, password: "any" });
    return this.open(address, { init: { method: "POST", body }, stop });
  }
}
