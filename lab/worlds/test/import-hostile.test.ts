import { symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect } from "chai";
import { cloudOpsBench } from "../import/cloud-opsbench/cloud-opsbench.ts";
import { holmes } from "../import/holmes/holmes.ts";
import { openSre } from "../import/opensre.ts";
import type { Source } from "../import/source.ts";
import { benchmarkClone, importHere } from "./benchmark-clone.ts";
import { ASK, CLOUD_FILES, HOLMES_FILES, OPENSRE_FILES } from "./hostile-clones.ts";

const PRIVATE = "the private key of this machine";

describe("importing clones with what no benchmark has", () => {
  let outside: Awaited<ReturnType<typeof benchmarkClone>>;

  before(async () => {
    outside = await benchmarkClone({ "private.md": PRIVATE, "private.json": { PRIVATE } });
  });
  after(async () => outside.remove());

  /** Imports the files, some of which are links to files outside. */
  async function importOf(
    source: Source,
    files: Readonly<Record<string, unknown>>,
    links: Readonly<Record<string, string>> = {},
  ) {
    await using clone = await benchmarkClone(files);
    for (const [link, to] of Object.entries(links)) {
      await symlink(join(outside.path, to), join(clone.path, link));
    }
    const imported = await importHere(source, clone.path, join(clone.path, "out"));
    const worlds = await Promise.all(
      Object.keys(imported.report.imported).map((name) => imported.world(name)),
    );
    return {
      ...imported.report,
      worlds: new Map(worlds.map((world) => [world.id.split("/").at(-1), world])),
    };
  }

  it("of HolmesGPT takes the other cases, and says what is wrong with each that it cannot take", async () => {
    const test = `${ASK}/03_path_outside/test_case.yaml`;
    const path = `../../../../../../${basename(outside.path)}/private.md`;
    const files = { ...HOLMES_FILES, [test]: `${String(HOLMES_FILES[test])}include_files: [${path}]\n` };
    const links = { [`${ASK}/04_link_outside/link.md`]: "private.md" };
    const { failed, worlds } = await importOf(holmes, files, links);
    expect(Object.keys(failed).map((name) => name.split("/").at(-1))).to.deep.equal([
      "02_cut_recording",
      "03_path_outside",
      "04_link_outside",
      "08_nothing",
      "10_another_json",
    ]);
    expect(failed["test_ask_holmes/03_path_outside"]).to.equal(
      `../${basename(outside.path)}/private.md is outside of the clone`,
    );
    expect(failed["test_ask_holmes/04_link_outside"]).to.equal(
      `${ASK}/04_link_outside/link.md is outside of the clone`,
    );
    expect(JSON.stringify([...worlds.values()])).not.to.include(PRIVATE);
    expect(worlds.get("01_mark_and_crlf")?.answers).to.deep.equal([
      {
        tool: "kubernetes-core.describe",
        args: { name: "a" },
        match: "subset",
        text: "disk full\r\nreally\r\n",
      },
    ]);
    expect(worlds.get("05_bare_values")?.alert).to.deep.equal({ type: "question", data: "71305" });
    expect(worlds.get("06_odd_names")?.answers[0]?.tool).to.equal("meine-tools-mlaut.describe-it-now");
    expect(worlds.get("07_not_storable")?.answers[0]).to.deep.include({
      args: { name: "a\uFFFD\uFFFD" },
      text: "disk\uFFFD full",
    });
    expect(worlds.get("12_same_call")?.answers.map(({ nth = 1 }) => nth)).to.deep.equal(
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
  });

  it("of OpenSRE drops all that names the fault, and reads nothing outside", async () => {
    const { failed, worlds } = await importOf(openSre, OPENSRE_FILES, {
      "tests/synthetic/eks/006-link-outside/eks_events.json": "private.json",
    });
    expect(Object.keys(failed)).to.deep.equal(
      ["002-base-outside", "004-list", "006-link-outside", "007-of-nothing"].map((name) => `eks/${name}`),
    );
    expect(JSON.parse(worlds.get("001-telling")?.alert.data ?? "")).to.deep.equal({
      title: "Down: 001",
      commonLabels: { service: "pay" },
      commonAnnotations: { summary: "it is down" },
    });
    expect(worlds.get("003-mark")?.answers).to.have.length(1);
    expect(worlds.get("005-numbers")?.answers[0]?.text)
      .to.include("12345678901234567890")
      .and.include("2.50");
  });

  it("of Cloud-OpsBench keeps to the limits of a world, in one order on every machine", async () => {
    const { failed, imported, worlds } = await importOf(cloudOpsBench, CLOUD_FILES);
    expect(Object.keys(imported)).to.deep.equal(
      ["01", "1", "4", "6", "7"].map((name) => `boutique/x/${name}`),
    );
    expect(Object.values(failed).map((why) => why.slice(0, 60))).to.deep.equal(
      [
        "the world cannot be read: clock.now must be a time in RFC 333",
        "tool_cache.json has the unknown tool NewTool",
        "malformed metadata.json: the value must have required proper",
        "the world cannot be read: it has more than 16 MiB",
        "the world cannot be read: answers must NOT have more than 50",
      ].map((why) => why.slice(0, 60)),
    );
    expect(worlds.get("1")?.answers).to.have.length(1);
    expect(worlds.get("6")?.answers[0]?.text).to.equal("No active metric anomalies detected at this time.");
    expect(worlds.get("7")?.answers[0]).to.deep.include({ args: { app_name: "a\uFFFDb" }, text: "y\uFFFD" });
  });
});
