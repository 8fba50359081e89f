import { expect } from "chai";
import { HttpsHost } from "../../../test/support/https-host.ts";
import { fetchRunbook } from "../runbooks/fetch-runbook.ts";

describe("fetchRunbook", () => {
  const { signal } = new AbortController();

  it("gives the token to GitHub and to no other host, also after a redirect", async () => {
    await using host = await HttpsHost.start(["github.com", "git.example.com"], (request, response) => {
      const to = new URL(request.url ?? "/", "https://x").searchParams.get("to");
      if (to === null) response.end(" \n");
      else response.writeHead(302, { location: to }).end();
    });
    const [github, other] = ["github.com", "git.example.com"].map((name) => `${name}:${host.port}`);
    const settings = { allowedHosts: [github ?? "", other ?? ""], githubToken: "token" };
    const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    const network = { resolve, isBlocked: () => false, ca: host.ca };
    const empty = { failure: "the answer is empty" };
    const first = `https://${github}/a?to=https://${other}/b`;
    expect(await fetchRunbook(first, settings, signal, network)).to.deep.equal(empty);
    expect(await fetchRunbook(`https://${other}/c`, settings, signal, network)).to.deep.equal(empty);
    expect(host.seen.map((seen) => [seen.host, seen.authorization])).to.deep.equal([
      [github, "Bearer token"],
      [other, undefined],
      [other, undefined],
    ]);
  });

  it("takes no page, no sign-in and nothing binary for a runbook, and says what it was", async () => {
    const answers: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
      "/page": ["text/html; charset=utf-8", "# no markup at all"],
      "/odd": ["text/plain", "\uFEFF\n<!-- a\n-->\n<!DOCTYPE html><html><p>Not here</html>"],
      "/form": ["text/html", '<html><form><input name=p type="password">'],
      "/image": ["image/png", "x"],
      "/auth/disk.md": ["text/plain", "# moved"],
      "/nul": ["application/octet-stream", "a\0b"],
      "/latin": ["text/plain", Buffer.from("Größe", "latin1")],
      "/notes.md": ["text/markdown", "<!-- toc -->\n# Disk\n<html> is a tag, sign in first"],
      "/o/r/raw/main/disk.md": ["application/octet-stream", "# the file"],
      "/o/r/blob/main/disk.md": ["text/html", "<html>the page</html>"],
      "/o/r/blob/main/other.md": ["text/plain", "# kept under its own address"],
    };
    await using host = await HttpsHost.start(["git.example"], (request, response) => {
      const { pathname } = new URL(request.url ?? "/", "https://x");
      const [type, body] = answers[pathname] ?? [];
      const moved = { "/private.md": "/users/sign_in?to=x", "/moved/auth/disk.md": "/auth/disk.md" };
      const location = Object.entries(moved).find(([from]) => from === pathname)?.[1];
      if (location !== undefined) {
        response.writeHead(302, { location }).end();
      } else if (type === undefined) {
        response.writeHead(404).end();
      } else {
        response.writeHead(200, { "content-type": type }).end(body);
      }
    });
    const name = `git.example:${host.port}`;
    const network = {
      resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
      isBlocked: () => false,
      ca: host.ca,
    };
    const fetched = async (path: string) =>
      fetchRunbook(`https://${name}${path}`, { allowedHosts: [name], githubToken: "" }, signal, network);
    const failures: Readonly<Record<string, string>> = {
      "/page": "a web page, not with a file",
      "/odd": "a web page, not with a file",
      "/form": "a page to sign in",
      "/image": "image/png, not with a text",
      "/nul": "not with a text",
      "/latin": "not UTF-8",
      "/private.md": "asks to sign in",
      "/none": "status 404",
    };
    for (const [path, part] of Object.entries(failures)) {
      expect(await fetched(path), path)
        .to.have.property("failure")
        .that.includes(part);
    }
    expect(await fetched("/notes.md"))
      .to.have.property("text")
      .that.includes("# Disk");
    expect(await fetched("/moved/auth/disk.md")).to.deep.equal({ text: "# moved" });
    expect(await fetched("/o/r/blob/main/disk.md")).to.deep.equal({ text: "# the file" });
    expect(await fetched("/o/r/edit/main/disk.md")).to.deep.equal({ text: "# the file" });
    expect(await fetched("/o/r/blob/main/other.md")).to.deep.equal({ text: "# kept under its own address" });
  });

  it("asks no server for what is no address that may be fetched", async () => {
    const settings = { allowedHosts: ["github.com"], githubToken: "token" };
    expect(await fetchRunbook("http://github.com/a", settings, signal)).to.deep.equal({
      failure: "must use https",
    });
    // The name is one of this machine, and the check is that of the service.
    const local = { allowedHosts: ["localhost"], githubToken: "token" };
    expect(await fetchRunbook("https://localhost/a", local, signal))
      .to.have.property("failure")
      .that.matches(/localhost has the address (::1|127\.0\.0\.1), which is not public/u);
  });
});
