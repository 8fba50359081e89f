import {
  existsSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { openFakeCluster, writeKubeconfig } from "../../test/support/fake-cluster.ts";
import { NOTHING_LISTENS } from "../../test/support/nothing-listens.ts";
import { tarsyHere } from "./tarsy-here.ts";

const SERVER = join(import.meta.dirname, "../../test/support/mcp-servers/listing-server.ts");
const URL_OF_SYSTEM = "http://metrics.test:9090";
const toolOf = (name: string, description: string, annotations: object = {}) => ({
  name,
  description,
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
  annotations,
});
const LOOK = toolOf("look", "looks", { readOnlyHint: true });

describe("tarsy add", () => {
  let directory: string;
  let config: string;
  let resources: DisposableStack;

  beforeEach(() => {
    resources = new DisposableStack();
    directory = resources.use(mkdtempDisposableSync(join(tmpdir(), "tarsy-add-"))).path;
    config = join(directory, "tarsy-config");
    list(LOOK, toolOf("push", "pushes"));
  });
  afterEach(() => resources.dispose());

  const list = (...tools: readonly object[]) =>
    writeFileSync(join(directory, "tools.json"), JSON.stringify(tools));
  const read = (name: string) => readFileSync(join(config, name), "utf8");
  const tarsy = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    tarsyHere(args, {
      PATH: process.env["PATH"],
      INIT_CWD: directory,
      TARSY_API_URL: NOTHING_LISTENS,
      ...env,
    });
  /** A file with a pack of the server of this test. */
  const writePack = (more: string) =>
    writeFileSync(
      join(directory, "mine.yaml"),
      `# Ours.
pack: mine
transport: { type: stdio, command: ${process.execPath}, args: [${SERVER}, ${join(directory, "tools.json")}] }
settings: { url: { env: MINE_URL, required: true }, token: { env: MINE_TOKEN, secret: true } }
probe: { tool: look, arguments: { query: up } }
discover: { labels: { app: mine }, port: 9090 }
${more}`,
    );
  /** A pack with all tools of the server, as a person would have reviewed it. */
  const writeReviewed = async () => {
    writePack("unlisted: true\ntools: {}\n");
    const { code, errors } = await tarsy(["add", "./mine.yaml", "--list"], { MINE_URL: URL_OF_SYSTEM });
    expect(code, errors).to.equal(0);
  };

  it("writes the tools of a server into a pack, with guessed effects, and adds it", async () => {
    await writeReviewed();
    const pack = readFileSync(join(directory, "mine.yaml"), "utf8");
    expect(pack).to.include("# Ours.\n").and.include("Review each tool").and.not.include("unlisted");
    expect(pack).to.match(/tools:.*read:\s*- look\s*write:\s*- push\s*approve:\s*- push\s*definitions:/su);
    expect(existsSync(config)).to.equal(false);
    const args = ["add", "./mine.yaml", "--url", URL_OF_SYSTEM, "--token-env", "TEAM_TOKEN"];
    expect((await tarsy(args)).out).to.include("start      TEAM_TOKEN is not set");
    expect(existsSync(config)).to.equal(false);
    const { code, out, errors } = await tarsy(args, { TEAM_TOKEN: "x" });
    expect(code, errors).to.equal(0);
    expect(out).to.include(
      "listing 1: 2 tools\n  look  read\n  push  write, needs approval\nprobe      done\n",
    );
    expect(read("tarsy.yaml")).to.equal(
      'mcp_servers:\n  mine:\n    pack: mine\n    settings:\n      token: "{{.TEAM_TOKEN}}"\n',
    );
    expect(read(".env")).to.equal(`MINE_URL=${URL_OF_SYSTEM}\n`);
    expect(statSync(join(config, ".env")).mode & 0o777).to.equal(0o600);
    expect(read("packs/mine.yaml")).to.equal(pack);
    expect(existsSync(join(config, "accepted-tools.yaml"))).to.equal(false);
    const before = readdirSync(config);
    const again = await tarsy(["add", "mine"]);
    expect(again).to.deep.include({ code: 1, errors: "mcp_servers has mine already: it is left as it is\n" });
    expect(readdirSync(config)).to.deep.equal(before);
    expect(
      (await tarsy(["config", "check", "--config-dir", config], { GOOGLE_API_KEY: "x", TEAM_TOKEN: "x" }))
        .code,
    ).to.equal(0);
  });

  it("finds a changed tool with doctor, shows and accepts it, and removes the server", async () => {
    await writeReviewed();
    await tarsy(["add", "./mine.yaml", "--url", URL_OF_SYSTEM]);
    expect((await tarsy(["doctor"])).out).to.include(
      "ok     mine: pack mine, says listing 1\n  variables  set: MINE_URL\n",
    );
    list({ ...LOOK, description: "looks, and \u001b[2Jsends" }, toolOf("pull", "pulls"));
    const ill = await tarsy(["doctor", "--json"]);
    expect(ill.code).to.equal(1);
    const found = {
      server: "mine",
      ok: false,
      new: ["pull"],
      changed: ["look"],
      gone: ["push"],
      probe: "ok",
    };
    const diagnoses: unknown = JSON.parse(ill.out);
    expect(Array.isArray(diagnoses) && diagnoses[0]).to.deep.include(found);
    const asked = await tarsy(["add", "--accept", "mine"]);
    expect(asked.code).to.equal(1);
    expect(asked.out)
      .to.include(
        '~ look: changed, read\n    --- accepted\n    +++ now\n    -looks\n    +looks, and sends\n     {\n       "properties": {\n+ pull',
      )
      .and.include("+ pull: new, effect unknown, counts as write\n    pulls\n");
    expect(asked.errors).to.include(
      "accept these 2 tools of mine as shown? There is no terminal for an answer: use --yes",
    );
    expect(existsSync(join(config, "accepted-tools.yaml"))).to.equal(false);
    expect((await tarsy(["add", "--accept", "mine", "--yes"])).out).to.include(
      "accepted   look, pull: start TARSy again",
    );
    expect(read("accepted-tools.yaml")).to.match(
      /^# .*servers:\n {2}mine:\n {4}look: [0-9a-f]{64}\n {4}pull: [0-9a-f]{64}\n$/su,
    );
    expect((await tarsy(["doctor"])).code).to.equal(0);
    list({ ...LOOK, description: "looks, and sen\u200Bds" }, toolOf("pull", "pulls"));
    expect((await tarsy(["add", "--accept", "mine"])).out).to.include(
      "~ look: changed, read\n    it differs only in spaces, in hidden characters, which agents do not get, or in masked text\n",
    );
    // A text whose hash is not an accepted one proves nothing.
    const texts = read("accepted-texts.yaml");
    writeFileSync(join(config, "accepted-texts.yaml"), texts.replaceAll(/hash: ./gu, "hash: x"));
    expect((await tarsy(["add", "--accept", "mine"])).out).to.include(
      "~ look: changed, read\n    looks, and sends\n    {",
    );
    writeFileSync(join(config, "accepted-texts.yaml"), "servers: [");
    expect((await tarsy(["add", "--accept", "mine"])).out).to.include("    looks, and sends\n    {");
    const removed = await tarsy(["add", "mine", "--remove"]);
    expect(removed.code, removed.errors).to.equal(0);
    expect(read("tarsy.yaml")).to.equal("");
    expect(read("accepted-tools.yaml")).to.include("servers: {}");
    expect(read("accepted-texts.yaml")).not.to.include("look");
  });

  it("asks about every tool of a pack without definitions", async () => {
    writePack('unlisted: true\ntools: { read: ["look*"] }\n');
    const env = { MINE_URL: URL_OF_SYSTEM };
    expect((await tarsy(["add", "./mine.yaml"], env)).out)
      .to.include("+ look: new, read")
      .and.include("+ push: new");
    expect(existsSync(config)).to.equal(false);
    expect((await tarsy(["add", "./mine.yaml", "--yes"], env)).code).to.equal(0);
    expect(read("accepted-tools.yaml")).to.match(/look: .*\n {4}push: /u);
    expect((await tarsy(["doctor"], env)).code).to.equal(0);
  });

  it("writes nothing where something is missing or fails", async () => {
    await writeReviewed();
    const refused: [readonly string[], string][] = [
      [["./mine.yaml"], "mine needs MINE_URL: set it in"],
      [["./mine.yaml", "--url", "ftp://x"], "it must be a URL such as"],
      [
        ["./mine.yaml", "--url", URL_OF_SYSTEM, "--token-env", "sk-secret"],
        "the name of a variable, not its value",
      ],
      [["prometeus"], "there is no pack prometeus; did you mean prometheus?"],
      [["postgres", "--url", "http://x"], "the address is a secret: set DSN in"],
      [["mine", "--remove"], "has no tarsy.yaml"],
    ];
    for (const [args, says] of refused) {
      const { code, errors } = await tarsy(["add", ...args]);
      expect(code, errors).to.be.greaterThan(0);
      expect(errors).to.include(says);
    }
    const dry = await tarsy(["add", "prometheus", "--dry-run"]);
    expect(dry.out)
      .to.include("server     prometheus-mcp 1.1.3 of npm (sha512-")
      .and.include("url from PROMETHEUS_URL");
    const pack = readFileSync(join(directory, "mine.yaml"), "utf8");
    writeFileSync(
      join(directory, "mine.yaml"),
      pack.replace("arguments: { query: up }", 'expect: { not_matching: "l(o+)k" }'),
    );
    const failed = await tarsy(["add", "./mine.yaml", "--url", URL_OF_SYSTEM]);
    expect(failed.code).to.equal(1);
    expect(failed.out).to.include("probe      look answers: look {}");
    expect(existsSync(config)).to.equal(false);
  });

  it("proposes and adds what it finds among the Services of a cluster", async () => {
    await writeReviewed();
    await using cluster = await openFakeCluster();
    const kubeconfig = join(directory, "kubeconfig");
    await writeKubeconfig(kubeconfig, { server: cluster.url });
    const env = { KUBECONFIG: kubeconfig };
    await tarsy(["add", "./mine.yaml", "--url", "http://m.obs.svc:8080"]);
    writeFileSync(join(config, "tarsy.yaml"), "");
    const seen = await tarsy(["init", "--discover"], env);
    expect(seen.out).to.equal("2 Services, 1 known\nfound      mine at http://m.obs.svc:8080: app=mine\n");
    expect(read("tarsy.yaml")).to.equal("");
    const { code, errors } = await tarsy(["init", "--discover", "--yes", "--kube-url", cluster.url]);
    expect(code, errors).to.equal(0);
    expect(read("tarsy.yaml")).to.include("pack: mine");
    const request = { path: "/api/v1/services" };
    expect(cluster.requests).to.deep.equal([
      { ...request, authorization: "Bearer t0ken" },
      { ...request, authorization: undefined },
    ]);
    const proxy = ["init", "--discover", "--yes", "--kube-url", cluster.url];
    expect(await tarsy(proxy)).to.deep.include({
      code: 0,
      out: `${seen.out}known      mcp_servers has mine already\n`,
    });
    // One that lacks something does not keep the next one out.
    const needy = read("packs/mine.yaml")
      .replace("pack: mine", "pack: a")
      .replace("secret: true", "required: true");
    writeFileSync(join(config, "packs/a.yaml"), needy);
    writeFileSync(join(config, "tarsy.yaml"), "");
    const both = await tarsy(proxy);
    expect(both.errors).to.include("a needs MINE_TOKEN: set it in");
    expect(both.code).to.equal(1);
    expect(read("tarsy.yaml")).to.equal("mcp_servers:\n  mine:\n    pack: mine\n");
    const away = await tarsy(["init", "--discover", "--kube-url", NOTHING_LISTENS]);
    expect(away.code).to.equal(1);
    await using refusing = await openFakeCluster({ status: 403 });
    const refused = await tarsy(["init", "--discover", "--kube-url", refusing.url]);
    expect(refused.errors).to.include("answers the list of Services with HTTP 403");
  });
});
