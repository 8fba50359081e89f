import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { parseTruth, parseWorld } from "#shared/worlds/parse-world.ts";
import { compactJson, worldHash } from "#shared/worlds/world-hash.ts";
import { WORLD_LIMITS } from "#shared/worlds/world-format.ts";

const EXAMPLES = join(import.meta.dirname, "../../../lab/worlds/examples");
const NAME = "opensre--rds_postgres--004-cpu-saturation-bad-query";
const TOOL = { name: "t", description: "", schema: {}, schema_from: "given", read_only: true };

const worldText = await readFile(join(EXAMPLES, `${NAME}.world.json`), "utf8");
const truthText = await readFile(join(EXAMPLES, `${NAME}.truth.json`), "utf8");
const world = parseWorld(worldText);

/** The world with other members, as text. */
const changed = (members: object) => JSON.stringify({ ...world, ...members });

describe("parseWorld", () => {
  it("refuses what is no world of this version, and says so", () => {
    expect(() => parseWorld("{")).to.throw("it is not JSON");
    expect(() => parseWorld("[]")).to.throw('format must be "tarsy-world", not undefined');
    expect(() => parseWorld(truthText)).to.throw('format must be "tarsy-world", not "tarsy-truth"');
    expect(() => parseWorld(changed({ version: 2 }))).to.throw(
      "version must be 1, not 2: use the TARSy that wrote it",
    );
  });

  it("refuses unknown members, wherever they are, and lists the known ones", () => {
    expect(() => parseWorld(changed({ truth: {} }))).to.throw(
      'the value has the unknown member "truth"; allowed: format, version, id, source, licence, clock, alert, runbook,',
    );
    const answers = [{ tool: "grafana.query_grafana_logs", args: {}, text: "", error: true }];
    expect(() => parseWorld(changed({ answers }))).to.throw(
      'answers.0 has the unknown member "error"; allowed: tool, args, match, nth, text, is_error',
    );
  });

  it("names the member that is wrong, what is wrong and what is allowed", () => {
    const wrong: readonly (readonly [members: object, message: string])[] = [
      [
        { id: "a/../b" },
        'id must be names of letters, digits, ".", "_" and "-", with "/" between them, not "a/../b"',
      ],
      [{ id: "/etc/x" }, "id must be names"],
      [{ clock: { now: "2026-01-01T00:00:00", from: "given" } }, "clock.now must be a time in RFC 3339"],
      [{ clock: { now: "2026-01-01T00:00:00Z", from: "guess" } }, "allowed values: given, newest, source"],
      [{ licence: 1 }, "licence must be"],
      [{ alert: { type: "a" } }, "alert must have required property 'data'"],
      [{ servers: [{ id: "a__b", tools: [] }], answers: [] }, 'the id "a__b" must have'],
      [{ servers: [{ id: "tarsy", tools: [] }], answers: [] }, "not be tarsy"],
      [{ servers: [{ id: "a", tools: [TOOL, TOOL] }], answers: [] }, "the tool a.t must be there once"],
      [{ servers: [] }, 'answers.0.tool must be a tool of servers, not "grafana.query_grafana_metrics"'],
      [{ alert: { type: "a", data: "\0" } }, "must not have NUL"],
      [{ alert: { type: "a", data: "\uD800" } }, "half a surrogate pair"],
    ];
    for (const [members, message] of wrong) {
      expect(() => parseWorld(changed(members)), message).to.throw(message);
    }
  });

  it("keeps the limits", () => {
    const tools = Array.from({ length: WORLD_LIMITS.tools + 1 }, (_, at) => ({ ...TOOL, name: `t${at}` }));
    expect(() => parseWorld(changed({ servers: [{ id: "a", tools }], answers: [] }))).to.throw(
      "servers must have at most 256 tools together, not 257",
    );
    const [answer] = world.answers;
    const answers = Array.from({ length: WORLD_LIMITS.answers + 1 }, () => ({ ...answer, text: "" }));
    expect(() => parseWorld(changed({ answers }))).to.throw("answers must NOT have more than 5000 items");
    const long = [{ ...answer, text: "é".repeat(WORLD_LIMITS.textBytes / 2 + 1) }];
    expect(() => parseWorld(changed({ answers: long }))).to.throw("answers.0.text must have at most 1 MiB");
    const big = `${worldText}${" ".repeat(WORLD_LIMITS.bytes)}`;
    expect(() => parseWorld(big)).to.throw("it has more than 16 MiB");
  });
});

describe("parseTruth", () => {
  const of = { id: world.id, hash: worldHash(world) };

  it("reads the truth of the very world, and no other", () => {
    expect(parseTruth(truthText, of).causes[0]?.cause).to.equal("cpu_saturation");
    expect(() => parseTruth(truthText, { ...of, id: "other" })).to.throw("world must be other");
    const hash = worldHash({ ...world, licence: null });
    expect(() => parseTruth(truthText, { ...of, hash })).to.throw("was changed after its truth was written");
  });

  it("refuses unknown members and versions", () => {
    const truth = parseTruth(truthText, of);
    expect(() => parseTruth(JSON.stringify({ ...truth, version: 2 }), of)).to.throw(
      "version must be 1, not 2",
    );
    expect(() => parseTruth(JSON.stringify({ ...truth, answer: "" }), of)).to.throw(
      'unknown member "answer"',
    );
  });
});

describe("the hash of a world", () => {
  it("does not depend on the order of members, and does on every value", () => {
    const turned = Object.fromEntries(Object.entries(world).toReversed());
    expect(worldHash(parseWorld(JSON.stringify(turned)))).to.equal(worldHash(world));
    expect(worldHash({ ...world, licence: null })).not.to.equal(worldHash(world));
  });

  it("sorts by code unit, names that are numbers too, and escapes nothing beyond ASCII", () => {
    const value = { "10": 1, "9": [true, null, { b: 1, a: "é\n" }], é: "😀", Z: 1.5, a: undefined };
    expect(compactJson(value)).to.equal('{"10":1,"9":[true,null,{"a":"é\\n","b":1}],"Z":1.5,"é":"😀"}');
  });
});
