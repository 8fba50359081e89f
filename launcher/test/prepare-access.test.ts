import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { prepareAccess } from "../prepare-access.ts";
import { projectPaths } from "../project-paths.ts";

describe("prepareAccess", () => {
  const prepare = async (env: Record<string, string>, isPrivate = false) => {
    const root = await mkdtemp(join(tmpdir(), "tarsy-access-"));
    try {
      const paths = projectPaths(root);
      const access = { env, paths, isPrivate, ports: new Map([["API_PORT", 8080]]), host: "127.0.0.1" };
      const first = prepareAccess(access);
      const again = prepareAccess(access);
      const files = await Promise.all(
        [paths.token, paths.header].map(async (path) => ({
          text: await readFile(path, "utf8").catch(() => undefined),
          mode: ((await stat(path).catch(() => undefined))?.mode ?? 0) & 0o777,
        })),
      );
      return { first, again, files };
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  };

  for (const [name, env, isPrivate] of [
    ["APPROVAL_TOKEN", {}, false],
    ["APPROVAL_TOKEN", { AUTH_MODE: "loopback" }, false],
    ["AUTH_TOKEN", {}, true],
  ] as const) {
    it(`makes ${name} once, in files that only their owner may read${isPrivate ? ", with --private" : ""}`, async () => {
      const { first, again, files } = await prepare(env, isPrivate);
      const token = first[name];
      expect(token).to.match(/^[\w-]{43}$/u);
      expect(again[name]).to.equal(token);
      expect(files).to.deep.equal([
        { text: `${token}\n`, mode: 0o600 },
        { text: `Authorization: Bearer ${token}\n`, mode: 0o600 },
      ]);
      expect(Object.keys(first).filter((key) => key.endsWith("TOKEN"))).to.deep.equal([name]);
    });
  }

  it("makes none where the user brings one, and none in modes with credentials of their own", async () => {
    const own = "0123456789abcdef0123456789abcdef";
    for (const env of [{ APPROVAL_TOKEN: own }, { AUTH_MODE: "token" }]) {
      const { first, files } = await prepare(env);
      expect(first).to.have.keys("ALLOWED_ORIGINS");
      expect(files[0]?.text).to.equal(undefined);
    }
  });
});
