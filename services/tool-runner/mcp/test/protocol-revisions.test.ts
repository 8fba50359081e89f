import { expect } from "chai";
import { Connection } from "../connection.ts";
import type { ServerSettings } from "../server-settings.ts";
import { startHttpServer } from "./http-server.ts";
import { depsOf, failureOf, hostile, httpAt, settingsOf } from "./server-fixture.ts";

const { signal } = new AbortController();

describe("the revision of the protocol", () => {
  const eraOf = async (settings: ServerSettings) => {
    await using connection = await Connection.open(depsOf(settings), signal);
    return connection.era;
  };

  for (const era of ["legacy", "modern"] as const) {
    const other = era === "legacy" ? "modern" : "legacy";

    it(`is ${era} if the configuration says so, and nothing else is tried`, async () => {
      await using server = await startHttpServer(era, {});
      expect(await eraOf(settingsOf(httpAt(server.url), { protocol: era }))).to.equal(era);
      const first = era === "legacy" ? "initialize" : "server/discover";
      expect(server.seen[0]).to.equal(first);
      await using unlike = await startHttpServer(other, {});
      const failure = await failureOf(eraOf(settingsOf(httpAt(unlike.url), { protocol: era })));
      expect(failure).to.include({ kind: "unreachable", sent: "no" });
      expect(unlike.seen.filter((line) => line !== first && !line.startsWith("DELETE"))).to.deep.equal([]);
    });

    it(`is found again when a server is replaced by one of the ${era} era`, async () => {
      await using old = await startHttpServer(other, {});
      await using replaced = await startHttpServer(era, {});
      const deps = depsOf(settingsOf(httpAt(old.url)));
      await using first = await Connection.open(deps, signal);
      expect(first.era).to.equal(other);
      const { settings } = depsOf(settingsOf(httpAt(replaced.url)));
      await using second = await Connection.open({ ...deps, settings }, signal);
      expect(second.era).to.equal(era);
    });
  }

  it("of a process is found out, or pinned", async () => {
    const transport = { ...hostile(), env: {} };
    expect(await eraOf(settingsOf(transport))).to.equal("legacy");
    expect(await eraOf(settingsOf(transport, { protocol: "legacy" }))).to.equal("legacy");
    const failure = await failureOf(eraOf(settingsOf(transport, { protocol: "modern" })));
    expect(failure).to.include({ kind: "unreachable", sent: "no" });
  });
});
