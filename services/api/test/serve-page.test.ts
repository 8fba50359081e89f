import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { buildPage } from "../../web/build-page.ts";
import { SECURITY_HEADERS } from "#shared/service/security-headers.ts";
import { SCREEN_PATH } from "../page/serve-page.ts";
import { ApiFixture } from "./api-fixture.ts";
import { sendRaw } from "./send-raw.ts";

describe("servePage(files)", () => {
  let api: ApiFixture;
  let directory: string;
  const get = async (path: string, headers?: Record<string, string>) =>
    sendRaw(api.port, "GET", path, headers);

  before(async () => {
    directory = join(await mkdtemp(join(tmpdir(), "tarsy-page-")), "dist");
    api = await ApiFixture.start({ pageDirectory: directory });
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await rm(join(directory, ".."), { recursive: true });
  });

  it("answers with one sentence while there is no page", async () => {
    const { status, headers, body } = await get("/");
    expect(status).to.equal(503);
    expect(headers["content-type"]).to.equal("text/plain; charset=utf-8");
    expect(body.toString()).to.match(/^This api has no page: .*\n$/u);
    expect((await get("/assets/main.js")).status).to.equal(404);
  });

  describe("with a page that is built while the api runs", () => {
    let script: string;

    before(async () => {
      await buildPage(directory);
      script =
        /src="(?<path>\/assets\/main-[^"]+)"/u.exec((await get("/")).body.toString())?.groups?.["path"] ?? "";
    });

    it("answers each screen's address with the page and strict headers", async () => {
      for (const path of [
        "/",
        "/s/0199",
        "/s/0199/trace?at=4",
        "/compare",
        "/compare/1",
        "/compare/1/2",
        "/new",
        "/system",
        "/usage",
        "/memories",
        "/triage",
        "/handover?hours=12",
      ]) {
        const { status, headers, body } = await get(path);
        expect(status, path).to.equal(200);
        expect(body.toString()).to.include(`src="${script}"`);
        expect(headers["content-type"]).to.equal("text/html; charset=utf-8");
        expect(headers["cache-control"]).to.equal("no-cache");
        expect(headers["content-security-policy"]).to.equal(
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
            "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
            "require-trusted-types-for 'script'; trusted-types 'none'",
        );
        expect(headers["cross-origin-opener-policy"]).to.equal("same-origin");
        expect(headers["permissions-policy"]).to.include("camera=()").and.include("usb=()");
        const {
          "content-security-policy": _policy,
          "cache-control": _cache,
          "permissions-policy": _features,
          ...others
        } = SECURITY_HEADERS;
        expect(headers).to.include(others);
      }
    });

    it("knows every screen that the page has", async () => {
      const main = await readFile(join(import.meta.dirname, "../../web/main.tsx"), "utf8");
      const paths = [...main.matchAll(/<Route path="(?<path>[^"]+)"/gu)].map(
        (match) => match.groups?.["path"] ?? "",
      );
      expect(paths).to.include.members(["/", "/s/:id"]);
      for (const path of paths) expect(path.replace(":id", "0199")).to.match(SCREEN_PATH);
    });

    it("shows a browser at an unknown address the page, which says so", async () => {
      const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
      for (const path of ["/nothing", "/s/", "/s/1/2", "/compare/", "/compare/1/2/3", "/new/", "/docs/a"]) {
        const { status, headers, body } = await get(path, { accept });
        expect(status, path).to.equal(404);
        expect(headers["content-type"], path).to.equal("text/html; charset=utf-8");
        expect(headers["content-security-policy"], path).to.include("trusted-types 'none'");
        expect(body.toString(), path).to.include(`src="${script}"`);
        const again = await get(path, { accept, "if-none-match": String(headers["etag"]) });
        expect(again.status, path).to.equal(404);
        expect(again.body.toString(), path).to.include(`src="${script}"`);
      }
      for (const path of ["/api/v1/nothing", "/assets/none.js"]) {
        const { status, headers } = await get(path, { accept });
        expect(status, path).to.equal(404);
        expect(headers["content-type"], path).to.match(/^application\/json/u);
      }
    });

    it("leaves other addresses to the routes of the API", async () => {
      for (const path of ["/api/v1/nothing", "/ws", "/nothing", "/s/", "/s/1/2", "/new/", "/assets"]) {
        const { status, headers, body } = await get(path);
        expect(status, path).to.equal(404);
        expect(headers["content-type"], path).to.match(/^application\/json/u);
        expect(body.toString(), path).to.equal('{"message":"Not Found"}');
      }
      expect((await sendRaw(api.port, "POST", "/")).status).to.equal(404);
    });

    it("serves a script for ever, in the form that the client takes", async () => {
      const plain = await get(script);
      expect(plain.headers["cache-control"]).to.equal("public, max-age=31536000, immutable");
      expect(plain.headers["content-type"]).to.equal("text/javascript; charset=utf-8");
      expect(plain.headers["content-encoding"]).to.equal(undefined);
      expect(plain.headers["vary"]).to.match(/accept-encoding/iu);
      const gzip = await get(script, { "accept-encoding": "gzip" });
      expect(gzip.headers["content-encoding"]).to.equal("gzip");
      expect(gunzipSync(gzip.body).equals(plain.body)).to.equal(true);
      const br = await get(script, { "accept-encoding": "gzip, br" });
      expect(br.headers["content-encoding"]).to.equal("br");
      expect(brotliDecompressSync(br.body).equals(plain.body)).to.equal(true);
      expect(new Set([plain, gzip, br].map(({ headers }) => headers["etag"])).size).to.equal(3);
    });

    it("serves its font, of at most 50 kB, which the styles name and never wait for", async () => {
      const { body: index } = await get("/");
      const styles = /href="(?<path>\/assets\/styles-[^"]+)"/u.exec(index.toString())?.groups?.["path"] ?? "";
      const sheet = (await get(styles)).body.toString();
      expect(sheet).to.match(/font-display:\s*swap/u);
      const font = /url\("?(?<path>\/assets\/[^")]+\.woff2)"?\)/u.exec(sheet)?.groups?.["path"] ?? "";
      const { status, headers, body } = await get(font);
      expect(status).to.equal(200);
      expect(headers["content-type"]).to.equal("font/woff2");
      expect(headers["cache-control"]).to.equal("public, max-age=31536000, immutable");
      expect(body.length).to.be.within(10_000, 50_000);
    });

    it("answers 304 to a client that has the page, and HEAD without a body", async () => {
      const { headers, body } = await get("/");
      const again = await get("/", { "if-none-match": String(headers["etag"]) });
      expect(again).to.include({ status: 304 });
      expect(again.body).to.have.length(0);
      expect((await get("/", { "if-none-match": '"other"' })).status).to.equal(200);
      const head = await sendRaw(api.port, "HEAD", "/");
      expect(head.body).to.have.length(0);
      expect(head.headers["content-length"]).to.equal(String(body.length));
    });

    it("serves no file but those of the page", async () => {
      for (const path of [
        "/assets/../manifest.json",
        "/assets/..%2fmanifest.json",
        "/assets/%2e%2e/%2e%2e/config.ts",
        "/assets/",
        "/assets/constructor",
        "/manifest.json",
        "/index.html",
        "/.hash",
        `${script}.gz`,
      ]) {
        expect((await get(path)).status, path).to.equal(404);
      }
    });

    it("refuses a host that is not its own", async () => {
      expect((await get("/", { host: "evil.example" })).status).to.equal(421);
    });

    it("keeps the first screen within 50 kB of script and 10 kB of styles, and all of it within 119 kB of script", async () => {
      const { body } = await get("/");
      const sizeOf = async (path: string) => (await get(path, { "accept-encoding": "gzip" })).body.length;
      const main = (await readFile(join(directory, script), "utf8")).matchAll(
        /from"\.\/(?<name>[\w.-]+\.js)"/gu,
      );
      const scripts = [script, ...[...main].map(({ groups }) => `/assets/${groups?.["name"]}`)];
      const sizes = await Promise.all(scripts.map(sizeOf));
      expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.lessThan(50_000);
      const styles = /href="(?<path>[^"]+\.css)"/u.exec(body.toString())?.groups?.["path"] ?? "";
      expect(await sizeOf(styles)).to.be.lessThan(10_000);
      const all = (await readdir(join(directory, "assets"))).filter((name) => name.endsWith(".js"));
      const total = await Promise.all(all.map(async (name) => sizeOf(`/assets/${name}`)));
      expect(total.reduce((sum, size) => sum + size, 0)).to.be.lessThan(119_000);
    });
  });
});
