import { expect } from "chai";
import type { WorldTool } from "#shared/worlds/world-format.ts";
import { matchCall, type ToolAnswer } from "#shared/worlds/match-call.ts";

const RULES: NonNullable<WorldTool["normalise"]> = {
  rename: { kind: "resource_type", ns: "namespace" },
  values: { resource_type: { lower: true, aliases: { pod: "pods", po: "pods", node: "nodes" } } },
  defaults: { namespace: "boutique" },
  ignore: [{ arg: "namespace", when: { arg: "resource_type", in: ["nodes"] } }],
  known: ["resource_type", "name", "namespace", "output_wide", "port"],
};

function tool(normalise?: WorldTool["normalise"], absent?: WorldTool["absent"]): WorldTool {
  return {
    name: "get",
    description: "",
    schema: { type: "object" },
    schema_from: "given",
    read_only: true,
    ...(normalise === undefined ? {} : { normalise }),
    ...(absent === undefined ? {} : { absent }),
  };
}

/** The text of the answer; the kind if there is none. */
function textFor(of: WorldTool, answers: readonly ToolAnswer[], args: Record<string, unknown>, nth = 1) {
  const match = matchCall(of, answers, args, nth);
  return match.kind === "answer" ? match.text : match.kind;
}

describe("matching a call with the answers of a world", () => {
  const pods = [{ args: { resource_type: "pods", namespace: "boutique", name: "" }, text: "pods" }];
  const nodes = [{ args: { resource_type: "nodes" }, text: "nodes" }];
  const port = [{ args: { resource_type: "pods", port: 6379, output_wide: true }, text: "port" }];

  /** Each rule, and a call that is a miss without it. */
  const rules: readonly (readonly [rule: string, answers: readonly ToolAnswer[], args: object])[] = [
    ["rename", pods, { kind: "pods", namespace: "boutique" }],
    ["values", pods, { resource_type: "Pod", namespace: "boutique" }],
    ["defaults", pods, { resource_type: "pods" }],
    ["ignore", nodes, { resource_type: "nodes", namespace: "kube-system" }],
    ["known", pods, { resource_type: "pods", namespace: "boutique", thought: "look" }],
  ];
  for (const [rule, answers, args] of rules) {
    it(`finds, with the rule \`${rule}\` and not without it, ${JSON.stringify(args)}`, () => {
      const { [rule]: _, ...others } = RULES as Record<string, unknown>;
      expect(textFor(tool(RULES), answers, { ...args })).to.equal(answers[0]?.text);
      expect(textFor(tool(others), answers, { ...args })).to.equal("miss");
    });
  }

  it("takes no notice of white space at the ends, of what is not given and of the type of a scalar", () => {
    const of = tool(RULES);
    for (const nothing of [null, "", " ", false, "false"]) {
      expect(textFor(of, pods, { resource_type: "pods", name: nothing, output_wide: nothing })).to.equal(
        "pods",
      );
    }
    expect(textFor(of, pods, { resource_type: " PO\n" })).to.equal("pods");
    expect(textFor(of, port, { resource_type: "pods", port: "6379", output_wide: "true" })).to.equal("port");
    // A number that a double cannot hold.
    expect(
      textFor(of, port, {
        resource_type: "pods",
        port: JSON.rawJSON("6379.00000000000000000001"),
        output_wide: true,
      }),
    ).to.equal("port");
    expect(textFor(of, port, { resource_type: "pods", port: 6380, output_wide: true })).to.equal("miss");
  });

  it("normalises recorded arguments as it does asked ones", () => {
    const recorded = [{ args: { kind: "Pod", ns: "boutique", noise: 1 }, text: "pods" }];
    expect(textFor(tool(RULES), recorded, { resource_type: "pods" })).to.equal("pods");
  });

  it("prefers the argument's own name to another of its names, unless it is empty", () => {
    const of = tool(RULES);
    expect(textFor(of, pods, { kind: "nodes", resource_type: "pods" })).to.equal("pods");
    expect(textFor(of, pods, { kind: "pods", resource_type: null })).to.equal("pods");
  });

  it("drops every argument of a tool that has none", () => {
    const one = [{ args: {}, text: "alerts" }];
    expect(textFor(tool({ known: [] }), one, { verbose: true })).to.equal("alerts");
    expect(textFor(tool(), one, { verbose: true })).to.equal("miss");
  });

  it("keeps a false that differs from the tool's default", () => {
    const waits = tool({ defaults: { wait: true } });
    const answers = [
      { args: { wait: true }, text: "waited" },
      { args: { wait: false }, text: "at once" },
    ];
    expect(textFor(waits, answers, {})).to.equal("waited");
    expect(textFor(waits, answers, { wait: false })).to.equal("at once");
  });

  it("knows no argument or alias by the names that every object has", () => {
    const args = { resource_type: "constructor", toString: "x" };
    const unknown = tool(RULES, [{ text: "no {resource_type}" }]);
    expect(matchCall(unknown, pods, args, 1)).to.include({ kind: "absent", text: "no constructor" });
    expect(textFor(tool(RULES), pods, { ["__proto__"]: "x", resource_type: "pods" })).to.equal("pods");
    const own = [{ args: { ["__proto__"]: "x" }, text: "proto" }];
    expect(textFor(tool(), own, {})).to.equal("miss");
  });

  it("takes the same arguments first, then a part of them, the most first, then any", () => {
    const answers: ToolAnswer[] = [
      { args: {}, match: "any", text: "any" },
      { args: { a: 1 }, match: "subset", text: "a" },
      { args: { a: 1, b: 2 }, match: "subset", text: "a and b" },
      { args: { a: 1, b: 2, c: 3 }, text: "exact" },
    ];
    expect(textFor(tool(), answers, { a: "1", b: 2, c: 3 })).to.equal("exact");
    expect(textFor(tool(), answers, { a: "1", b: 2, d: 4 })).to.equal("a and b");
    expect(textFor(tool(), answers, { a: 1, b: 3 })).to.equal("a");
    expect(textFor(tool(), answers, { b: 2 })).to.equal("any");
    expect(textFor(tool(), answers.slice(1), { b: 2 })).to.equal("miss");
    const equal = answers.slice(3);
    expect(textFor(tool(), equal, { a: 1, b: 2, c: 3, d: 4 }), "equal is no subset").to.equal("miss");
  });

  it("gives the answers to one call in turn, and then the last again", () => {
    const answers: ToolAnswer[] = [
      { args: { a: 1 }, match: "subset", nth: 2, text: "second" },
      { args: { a: 1 }, match: "subset", text: "first" },
      { args: { b: 1 }, match: "subset", text: "other" },
    ];
    const texts = [1, 2, 3, 9].map((nth) => textFor(tool(), answers, { a: 1, limit: 5 }, nth));
    expect(texts).to.deep.equal(["first", "second", "second", "second"]);
  });

  it("says what is absent by the first rule that applies, with the call's arguments in its text", () => {
    const known = { arg: "resource_type", in: ["pods", "nodes"] };
    const of = tool(RULES, [
      {
        when: [known, { arg: "name", has: true }],
        text: '{resource_type} "{name}" not found',
        is_error: true,
      },
      { when: [known, { arg: "namespace", has: false }], text: "No {resource_type} found." },
      { when: known, text: "No resources found in {namespace} namespace, {other}." },
    ]);
    const answer = (args: Record<string, unknown>) => matchCall(of, [], args, 1);
    expect(answer({ resource_type: "po", name: "x" })).to.deep.equal({
      kind: "absent",
      text: 'pods "x" not found',
      isError: true,
    });
    expect(answer({ resource_type: "node" })).to.include({ text: "No nodes found.", isError: false });
    expect(answer({ resource_type: "pods" })).to.include({
      text: "No resources found in boutique namespace, {other}.",
    });
    expect(answer({ resource_type: "jobs" })).to.deep.equal({ kind: "miss" });
  });

  it("tells errors from answers", () => {
    const answers = [{ args: {}, text: "refused", is_error: true }];
    expect(matchCall(tool(), answers, {}, 1)).to.deep.equal({
      kind: "answer",
      text: "refused",
      isError: true,
    });
  });
});
