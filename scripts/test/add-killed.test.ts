import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { NIGHTLY } from "../../test/support/nightly.ts";
import { NOTHING_LISTENS } from "../../test/support/nothing-listens.ts";
import { tarsyHere } from "./tarsy-here.ts";

const ROOT = join(import.meta.dirname, "../..");
const SERVER = join(ROOT, "test/support/mcp-servers/listing-server.ts");
const BEFORE = "# Ours.\nmcp_servers:\n  other:\n    transport: { type: stdio, command: other }\n";

describe("tarsy add that is disturbed", function () {
  this.timeout(120_000);
  let directory: string;
  let config: string;
  let resources: DisposableStack;

  beforeEach(() => {
    resources = new DisposableStack();
    directory = resources.use(mkdtempDisposableSync(join(tmpdir(), "tarsy-add-"))).path;
    config = join(directory, "tarsy-config");
    writeFileSync(join(directory, "tools.json"), '[{"name":"look","inputSchema":{"type":"object"}}]');
    for (const name of ["mine", "yours"]) {
      const transport = `{ type: stdio, command: ${process.execPath}, args: [${SERVER}, ${join(directory, "tools.json")}] }`;
      const settings = `{ url: { env: ${name.toUpperCase()}_URL, required: true } }`;
      const text = `pack: ${name}\ntransport: ${transport}\nsettings: ${settings}\nunlisted: true\ntools: {}\n`;
      writeFileSync(join(directory, `${name}.yaml`), text);
    }
    begin();
  });
  afterEach(() => resources.dispose());

  /** A configuration as a team has it before. */
  const begin = () => {
    rmSync(config, { recursive: true, force: true });
    mkdirSync(config);
    writeFileSync(join(config, "tarsy.yaml"), BEFORE);
  };
  const read = (name: string) => readFileSync(join(config, name), "utf8");
  const env = () => ({ PATH: process.env["PATH"], INIT_CWD: directory, TARSY_API_URL: NOTHING_LISTENS });
  const argsFor = (name: string) => ["add", `./${name}.yaml`, "--url", `http://${name}.test:9090`, "--yes"];
  const add = async (name: string) => tarsyHere(argsFor(name), env());
  const tarsyFileOf = (...names: readonly string[]) =>
    BEFORE.replace(":\n", `:\n${names.map((name) => `  ${name}:\n    pack: ${name}\n`).join("")}`);

  it("leaves the file as it was or whole wherever it is killed, and succeeds the next time", async () => {
    const killed: string[] = [];
    for (let at = 2; ; at += NIGHTLY ? 1 : 5) {
      begin();
      const hook = join(ROOT, "test/support/kill-at-write.ts");
      const child = spawn(
        process.execPath,
        ["--import", hook, join(ROOT, "scripts/tarsy/main.ts"), ...argsFor("mine")],
        { env: { ...env(), KILL_AT: String(at), KILL_BELOW: directory }, stdio: "ignore" },
      );
      await once(child, "exit");
      if (child.exitCode === 0) break;
      expect(child.signalCode).to.equal("SIGKILL");
      expect(read("tarsy.yaml"), String(at)).to.equal(BEFORE);
      const { code, errors } = await add("mine");
      expect(code, `after the kill at write ${at}: ${errors}`).to.equal(0);
      killed.push(
        read("tarsy.yaml") + read(".env") + read("accepted-tools.yaml") + read("accepted-texts.yaml"),
      );
    }
    expect(killed.length).to.be.greaterThan(2);
    expect(new Set(killed)).to.have.length(1);
    expect(read("tarsy.yaml")).to.equal(tarsyFileOf("mine"));
  });

  it("adds what two of them add at once", async () => {
    const runs = await Promise.all([add("mine"), add("yours")]);
    expect(runs.map(({ code, errors }) => `${code}${errors}`)).to.deep.equal(["0", "0"]);
    expect([tarsyFileOf("mine", "yours"), tarsyFileOf("yours", "mine")]).to.include(read("tarsy.yaml"));
    expect(read(".env").split("\n").toSorted().join(" ")).to.equal(
      " MINE_URL=http://mine.test:9090 YOURS_URL=http://yours.test:9090",
    );
    expect(read("accepted-tools.yaml"))
      .to.match(/mine:\n {4}look: /u)
      .and.match(/yours:\n {4}look: /u);
  });

  it("names the file that a full disk refuses, and leaves tarsy.yaml as it was", async () => {
    for (const name of ["packs/mine.yaml", "accepted-tools.yaml", "tarsy.yaml"]) {
      begin();
      mkdirSync(join(config, "packs"));
      symlinkSync("/dev/full", join(config, `${name}.new`));
      const { code, errors } = await add("mine");
      expect(code).to.equal(1);
      expect(errors).to.equal(
        `${join(config, name)} cannot be written: ENOSPC: no space left on device, write\n`,
      );
      expect(read("tarsy.yaml")).to.equal(BEFORE);
      expect((await add("mine")).code).to.equal(0);
    }
  });

  it("keeps the mode of tarsy.yaml, and what it is a link to", async () => {
    const kept = join(directory, "kept.yaml");
    renameSync(join(config, "tarsy.yaml"), kept);
    symlinkSync(kept, join(config, "tarsy.yaml"));
    writeFileSync(kept, BEFORE);
    chmodSync(kept, 0o640);
    expect((await add("mine")).code).to.equal(0);
    expect(lstatSync(join(config, "tarsy.yaml")).isSymbolicLink()).to.equal(true);
    expect(readFileSync(kept, "utf8")).to.equal(tarsyFileOf("mine"));
    expect(statSync(kept).mode & 0o777).to.equal(0o640);
  });

  it("refuses a pack whose file is another one than the copy", async () => {
    mkdirSync(join(config, "packs"));
    writeFileSync(join(config, "packs/mine.yaml"), "# another\n");
    expect((await add("mine")).errors).to.include(
      "mine.yaml is there already: change that file, and add it by its name",
    );
  });
});
