import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { rejectionOf } from "../../../launcher/test/rejection-of.ts";
import { HttpsHost } from "../../../test/support/https-host.ts";
import { isBlockedAddress, EgressError, guardedFetch, type EgressRules } from "../egress/guarded-fetch.ts";

const { signal } = new AbortController();
const HERE = [{ address: "127.0.0.1", family: 4 }];

describe("isBlockedAddress", () => {
  it("lets addresses of the public internet pass only", () => {
    const allowed = ["140.82.121.3", "8.8.8.8", "2606:50c0:8000::154", "2a00:1450:4001::1"];
    expect(allowed.filter(isBlockedAddress)).to.deep.equal([]);
    const blocked = [
      "0.0.0.0",
      "10.1.2.3",
      "100.64.0.1",
      "127.0.0.1",
      "127.9.9.9",
      "168.63.129.16",
      "169.254.169.254",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "198.18.0.1",
      "224.0.0.1",
      "255.255.255.255",
      "::",
      "::1",
      "::ffff:127.0.0.1",
      "::ffff:a9fe:a9fe",
      "::ffff:8.8.8.8",
      "64:ff9b::a9fe:a9fe",
      "2002:a9fe:a9fe::1",
      "fc00::1",
      "fd00:ec2::254",
      "fe80::1",
      "ff02::1",
      "fe80::1%eth0",
      "not an address",
      "",
    ];
    expect(blocked.filter((address) => !isBlockedAddress(address))).to.deep.equal([]);
  });
});

describe("guardedFetch", () => {
  const resources = new AsyncDisposableStack();
  let host: HttpsHost;
  let names: Readonly<Record<"git" | "other", string>>;

  before(async () => {
    host = resources.use(
      await HttpsHost.start(["git.example.com", "other.example.com"], (request, response) => {
        const url = new URL(request.url ?? "/", "https://x");
        const to = url.searchParams.get("to");
        if (to !== null) response.writeHead(302, { location: to }).end();
        else if (url.pathname === "/large") response.end("x".repeat(2 * 1_024 * 1_024));
        else if (url.pathname === "/zipped") {
          response.writeHead(200, { "content-encoding": "gzip" });
          response.end(gzipSync("x".repeat(2 * 1_024 * 1_024)));
        } else if (url.pathname === "/bytes") response.end(Buffer.from([0xff, 0xfe, 0x00]));
        else if (url.pathname === "/missing") response.writeHead(404).end("nothing");
        else if (url.pathname !== "/silent") response.end("the text");
      }),
    );
    names = { git: `git.example.com:${host.port}`, other: `other.example.com:${host.port}` };
  });
  after(() => resources.disposeAsync());

  const rules = (more: Partial<EgressRules> = {}): EgressRules => ({
    allowedHosts: [names.git, names.other],
    headersFor: ({ host: asked }) => (asked === names.git ? { authorization: "Bearer secret" } : {}),
    maxBytes: 1_024 * 1_024,
    timeoutMs: 10_000,
    resolve: () => Promise.resolve(HERE),
    isBlocked: () => false,
    ca: host.ca,
    ...more,
  });
  const get = async (address: string, more?: Partial<EgressRules>) =>
    guardedFetch(new URL(address), rules(more), signal);
  const refusal = async (address: string, more?: Partial<EgressRules>): Promise<string> => {
    const failed = get(address, more).then(
      () => "no error",
      (error: unknown) => (error instanceof EgressError ? error.message : `another error: ${String(error)}`),
    );
    return failed;
  };
  const seen = () => host.seen.splice(0);

  it("reads a text, and follows redirects with each host's own headers only", async () => {
    expect(await get(`https://${names.git}/a?to=https://${names.other}/b`)).to.equal("the text");
    expect(seen()).to.deep.equal([
      { host: names.git, path: `/a?to=https://${names.other}/b`, authorization: "Bearer secret" },
      { host: names.other, path: "/b", authorization: undefined },
    ]);
  });

  it("sends nothing to addresses and hosts that it must not ask", async () => {
    const literals = ["2130706433", "0177.0.0.1", "0x7f.1", "127.1", "169.254.169.254", "[::1]"];
    const addresses = [...literals, "[::ffff:169.254.169.254]", "[fd00:ec2::254]"].map(
      (text) => `https://${text}/`,
    );
    for (const address of addresses) {
      const more = { allowedHosts: [new URL(address).host], isBlocked: isBlockedAddress };
      expect(await refusal(address, more), address).to.include("is not public");
      expect(await refusal(address), address).to.include("is not allowed");
    }
    expect(await refusal(`http://${names.git}/`)).to.include("only https");
    expect(await refusal("file:///etc/passwd")).to.include("only https");
    expect(await refusal(`https://ann:pw@${names.git}/`)).to.include("user name");
    expect(await refusal(`https://${names.git}@evil.example/`)).to.include("user name");
    expect(await refusal("https://evil.example/")).to.include("evil.example is not allowed");
    expect(await refusal(`https://git.example.com.:${host.port}/`)).to.include("is not allowed");
    expect(seen()).to.deep.equal([]);
  });

  it("checks every address of a name when it connects, and again at a redirect", async () => {
    const isBlocked = isBlockedAddress;
    const resolving = (...addresses: string[]) => ({
      isBlocked,
      resolve: () => Promise.resolve(addresses.map((address) => ({ address, family: 4 }))),
    });
    expect(await refusal(`https://${names.git}/`, resolving("127.0.0.1"))).to.include(
      "127.0.0.1, which is not public",
    );
    expect(await refusal(`https://${names.git}/`, resolving("8.8.8.8", "10.0.0.1"))).to.include("10.0.0.1");
    expect(await refusal(`https://${names.git}/`, resolving())).to.include("has no address");
    expect(seen()).to.deep.equal([]);
    // The name server's second answer is another one.
    let asked = 0;
    const rebinding = {
      resolve: () =>
        Promise.resolve([{ address: (asked += 1) === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }]),
      isBlocked: (address: string) => address === "127.0.0.2",
    };
    expect(await refusal(`https://${names.git}/a?to=https://${names.other}/b`, rebinding)).to.include(
      "127.0.0.2",
    );
    expect(asked).to.equal(2);
    expect(seen().map(({ path }) => path)).to.have.length(1);
  });

  it("checks each redirect as the first address, and follows few", async () => {
    const through = async (to: string, more?: Partial<EgressRules>) =>
      refusal(`https://${names.git}/?to=${encodeURIComponent(to)}`, more);
    expect(await through(`http://${names.git}/`)).to.include("only https");
    expect(await through("https://evil.example/")).to.include("is not allowed");
    expect(await through(`https://a:b@${names.other}/`)).to.include("user name");
    const metadata = {
      allowedHosts: [names.git, "169.254.169.254"],
      isBlocked: (one: string) => one !== "127.0.0.1",
    };
    expect(await through("https://169.254.169.254/latest", metadata)).to.include("is not public");
    seen();
    const self = `https://${names.git}/`;
    const loop = [1, 2, 3, 4, 5].reduce((to) => `${self}?to=${encodeURIComponent(to)}`, self);
    expect(await refusal(loop)).to.equal("more than 3 redirects");
    expect(seen()).to.have.length(4);
  });

  it("reads no more than allowed, whatever it is packed in, and only text", async () => {
    expect(await refusal(`https://${names.git}/large`)).to.include("more than 1048576 bytes");
    expect(await refusal(`https://${names.git}/zipped`)).to.include("more than 1048576 bytes");
    expect(await refusal(`https://${names.git}/bytes`)).to.include("not UTF-8");
    expect(await refusal(`https://${names.git}/missing`)).to.include("status 404");
    expect(await refusal(`https://${names.git}/silent`, { timeoutMs: 300 })).to.equal(
      "no answer within 0.3 s",
    );
  });

  it("trusts no certificate that is not signed, and stops when its signal aborts", async () => {
    const { ca: _ca, ...untrusting } = rules();
    const failure = await rejectionOf(guardedFetch(new URL(`https://${names.git}/`), untrusting, signal));
    expect(failure).to.include("self-signed");
    const stopped = AbortSignal.abort(new Error("stopped"));
    const end = await rejectionOf(guardedFetch(new URL(`https://${names.git}/`), rules(), stopped));
    expect(end).to.equal("stopped");
  });
});
