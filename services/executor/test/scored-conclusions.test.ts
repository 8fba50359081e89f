import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { until } from "../../../test/support/until.ts";
import { ask, cancelFollowUp } from "./follow-up-fixture.ts";
import { RunFixture } from "./run-fixture.ts";
import { answerTurn, callTurn, conclusionWith } from "./scripted-turns.ts";

const JUDGE = "Judge of Investigations";
const NOTES = "Memory of Investigations";
const RIGHT = ["r1", "pod checkout-7d9f restarts"] as const;
const WRONG = ["r1", "pod checkout-7d9f restarted"] as const;
const INVENTED = ["r1", "the quota of the volume is used up"] as const;
const NO_LESSONS = JSON.stringify({ create: [], reinforce: [], deprecate: [] });

interface Scored {
  readonly tags?: string;
  readonly remembers?: boolean;
  /** The judge's last reply. */
  readonly lessons?: object;
}

describe("the score and the lessons of a session whose quotes were checked", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.startWithTools();
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** A session that has ended; its agent states these claims, twice if one is wrong, and its judge names these failures. */
  const ended = async (
    claims: readonly (readonly [string, string])[],
    { tags = "none", remembers = false, lessons = { text: NO_LESSONS } }: Scored = {},
  ) => {
    const stated = conclusionWith(claims);
    const judge = [{ text: `It is named.\n\nTAGS: ${tags}\n72` }, { text: "Nothing is missing." }, lessons];
    await fixture.play(
      ...judge.map((step, index) => ({ when: { contains: JUDGE, call: index + 1 }, steps: [step] })),
      { when: { contains: NOTES }, steps: [{ text: NO_LESSONS }] },
      callTurn("native-thinking", 1, "k8s.pods", {}),
      ...(claims.length === 0
        ? []
        : [
            callTurn("native-thinking", 2, "tarsy.conclude", stated),
            callTurn("native-thinking", 3, "tarsy.conclude", stated),
          ]),
      answerTurn("native-thinking", "It was the memory. ".repeat(12)),
    );
    const id = await fixture.executor.insert({
      strategy: "native-thinking",
      servers: ["k8s"],
      isScored: true,
      concludes: claims.length > 0,
      remembers,
    });
    expect(await fixture.run(id)).to.equal("completed");
    return id;
  };
  const scored = async (...options: Parameters<typeof ended>) => {
    const id = await ended(...options);
    expect(await fixture.run(id)).to.equal("followed-up");
    return id;
  };
  const tagsOf = async (id: string) =>
    fixture.executor.query("SELECT status, failure_tags AS tags FROM session_scores WHERE session_id = $1", [
      id,
    ]);
  const prompts = async (id: string): Promise<string> => {
    const rows = await fixture.executor.query(
      `SELECT m.content FROM messages m JOIN stages USING (stage_id)
       WHERE m.session_id = $1 AND m.role <> 'assistant' AND stage_type NOT IN ('investigation')`,
      [id],
    );
    return rows.map((row) => JSON.stringify(row)).join("\n");
  };

  for (const remembers of [false, true]) {
    const how = remembers ? "with lessons" : "alone";
    it(`has the tag of invented evidence if a quote is in no result, whatever the judge says: ${how}`, async () => {
      const id = await scored([RIGHT, INVENTED], { tags: "incomplete_evidence", remembers });
      expect(await tagsOf(id)).to.deep.equal([
        { status: "completed", tags: ["incomplete_evidence", "hallucinated_evidence"] },
      ]);
    });

    it(`has it not if all quotes were found: ${how}`, async () => {
      const id = await scored([RIGHT], { tags: "hallucinated_evidence, wrong_conclusion", remembers });
      expect(await tagsOf(id)).to.deep.equal([{ status: "completed", tags: ["wrong_conclusion"] }]);
    });
  }

  it("has it as soon as the score is known, before the lessons", async () => {
    const id = await ended([RIGHT, INVENTED], { remembers: true, lessons: { hang: true } });
    const run = await fixture.begin(id);
    await until("the judge draws lessons", async () =>
      JSON.stringify(await tagsOf(id)).includes("memorizing"),
    );
    expect(await tagsOf(id)).to.deep.equal([{ status: "memorizing", tags: ["hallucinated_evidence"] }]);
    await cancelFollowUp(fixture.executor, id, { followUpId: uuidFrom("follow-up:score", id) });
    expect(await run.end).to.equal("followed-up");
    expect(await tagsOf(id)).to.deep.equal([{ status: "completed", tags: ["hallucinated_evidence"] }]);
  });

  it("has it as the judge says if a quote was only altered, and without a conclusion", async () => {
    for (const claims of [[RIGHT, WRONG], []]) {
      const id = await scored(claims, { tags: "hallucinated_evidence" });
      expect(await tagsOf(id)).to.deep.equal([{ status: "completed", tags: ["hallucinated_evidence"] }]);
    }
  });

  it("come from a judge that reads what became of the quotes, and that notes rest on verified ones", async () => {
    const text = await prompts(await scored([RIGHT, INVENTED], { remembers: true }));
    expect(text).to.include("## Checked Quotes");
    expect(text).to.include("The status is likely, the agents stated confirmed; 1 of 2 claims are verified.");
    expect(text).to.include('- c1 verified: claim 1 (r1: \\"pod checkout-7d9f restarts\\")');
    expect(text).to.include("- c2 absent: claim 2 (r1: ");
    expect(text).to.include("draw no note from any other");
    const plain = await prompts(await scored([], { remembers: true }));
    expect(plain).to.not.include("Checked Quotes");
    expect(plain).to.not.include("draw no note from any other");
  });

  it("and what is learned from feedback rests on verified claims, too", async () => {
    const id = await scored([RIGHT, INVENTED], { remembers: true });
    await ask(fixture.executor, id, {
      kind: "feedback",
      question: "It was the memory.",
      strategy: "memory-extraction",
      stages: [["MemoryExtraction"]],
      remembers: true,
    });
    expect(await fixture.run(id)).to.equal("followed-up");
    const [row] = await fixture.executor.query(
      `SELECT string_agg(content, ' ') AS text FROM messages WHERE session_id = $1 AND execution_id = (
         SELECT execution_id FROM agent_executions WHERE session_id = $1 AND agent_name = 'MemoryExtraction')`,
      [id],
    );
    expect(JSON.stringify(row)).to.include("- c2 absent").and.to.include("draw no note from any other");
  });
});
