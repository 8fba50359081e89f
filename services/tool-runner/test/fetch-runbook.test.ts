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

  it("asks nobody for what is no address that may be fetched", async () => {
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
