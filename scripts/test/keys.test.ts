import { expect } from "chai";
import { ApiKeys } from "#shared/access/api-keys.ts";
import { BackingServers } from "../../test/support/backing-servers.ts";
import { tarsyHere } from "./tarsy-here.ts";

describe("npm run tarsy -- keys", () => {
  let servers: BackingServers;

  before(async () => {
    servers = await BackingServers.choose({});
    await servers.migrate();
  });
  after(() => servers[Symbol.asyncDispose]());

  const keys = (...args: string[]) => tarsyHere(["keys", ...args], { DATABASE_URL: servers.postgres.url });
  const identify = async (text: string) =>
    new ApiKeys({ query: async (sql, values) => servers.query(sql, values ?? []) }).identify(text);

  it("takes no secret for the name of a holder or a team", async () => {
    const before = await keys("list");
    const token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    for (const args of [["password=hunter2"], ["ann", "--team", `platform,${token}`]]) {
      const { code, errors } = await keys("add", ...args, "--role", "viewer");
      expect(code).not.to.equal(0);
      expect(errors).to.match(/looks like a secret/u);
    }
    expect(await keys("list")).to.deep.equal(before);
  });

  it("adds a key that lets its holder in, lists it without its secret, and revokes it", async () => {
    const { out } = await keys(
      "add",
      "ann",
      "--role",
      "operator,viewer",
      "--team",
      "platform",
      "--days",
      "2",
    );
    const key = out.trim();
    expect(await identify(key)).to.deep.include({
      subject: "ann",
      roles: ["operator", "viewer"],
      teams: ["platform"],
    });
    const id = key.split("_")[1] ?? "";
    const listed = (await keys("list")).out;
    expect(listed).to.include(id).and.include("ann").and.include("operator,viewer").and.not.include(key);
    expect((await keys("revoke", id)).out).to.equal(`${id} is revoked\n`);
    expect(await identify(key)).to.equal(undefined);
    const audit = await servers.query(
      "SELECT action, detail ->> 'for' AS name FROM audit_log ORDER BY id",
      [],
    );
    expect(audit).to.deep.equal([
      { action: "key.add", name: "ann" },
      { action: "key.revoke", name: "ann" },
    ]);
  });

  it("names what is wrong with its arguments", async () => {
    for (const [args, message] of [
      [["add", "ann"], "--role is missing: one of viewer"],
      [["add", "ann", "--role", "root"], '--role is "root": use viewer'],
      [["add", "ann", "--role", "admin", "--days", "x"], '--days is "x"'],
      [["add", "--role", "admin"], "name the holder of the key"],
      [["lose"], "keys lose: use add, list or revoke"],
    ] as const) {
      const { code, errors } = await keys(...args);
      expect(code, args.join(" ")).to.equal(2);
      expect(errors).to.include(message);
    }
    expect(await keys("revoke", "0123456789ab")).to.include({ code: 1 });
  });
});
