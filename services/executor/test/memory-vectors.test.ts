import { expect } from "chai";
import { changeConfig } from "../../../test/support/change-config.ts";
import { openEmbeddingServer } from "../../../test/support/embedding-server.ts";
import type { SseServer } from "../../../test/support/sse-server.ts";
import { loadBriefing } from "../features/memories/find-memories.ts";
import { ask } from "./follow-up-fixture.ts";
import { insertRemembering, remember } from "./memory-fixture.ts";
import { RunFixture } from "./run-fixture.ts";
import { answerTurn, callTurn } from "./scripted-turns.ts";

const EMBEDDING = { provider: "google", model: "gemini-embedding-2-preview", dimensions: 3 } as const;
const NAME = "google/gemini-embedding-2-preview/3";

/** What a text is about, by words that mean the same; a vector of no certain length. */
const MEANINGS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/feline|cat\b/u, [3, 0, 0]],
  [/kitten/u, [2, 1.5, 0]],
  [/dog|canine/u, [0, 2, 0]],
];
const embed = (text: string) => MEANINGS.find(([words]) => words.test(text))?.[1] ?? [0, 0, 1];

describe("memories that are found by their meaning", () => {
  const resources = new AsyncDisposableStack();
  let server: SseServer;
  let fixture: RunFixture;
  let isAway = false;

  before(async () => {
    const fails = () => (isAway ? { status: 400, body: { error: { message: "no such model" } } } : undefined);
    server = resources.use(await openEmbeddingServer(embed, { fails }));
    fixture = resources.use(await RunFixture.start({ embedding: { ...EMBEDDING, base_url: server.url } }));
  });
  after(() => resources.disposeAsync());
  beforeEach(() => (isAway = false));

  const insert = async (team: string, alert: string, more: object = {}) =>
    insertRemembering(fixture.executor, {
      strategy: "native-thinking",
      teams: [team],
      alert,
      embedding: EMBEDDING,
      ...more,
    });
  const told = async (id: string, max_inject = 50) => {
    const { deps } = fixture.executor;
    const signals = { cancelled: new AbortController().signal };
    const session = { ...deps, sessionId: id, llm: { client: deps.llm }, signals };
    const found = await loadBriefing(session, { max_inject, embedding: EMBEDDING });
    return found.map(({ content }) => content);
  };
  const store = async (team: string, content: string, more: object = {}) =>
    remember(fixture.executor, { content, teams: [team], ...more });
  const stored = async (id: string): Promise<unknown> => {
    const [row] = await fixture.executor.query(
      "SELECT embedding, embedding_model FROM investigation_memories WHERE memory_id = $1",
      [id],
    );
    return row;
  };
  /** The texts of the requests since the one of this number. */
  const sentSince = (start: number) => JSON.stringify(server.requests.slice(start).map(({ body }) => body));
  const failures = async () => {
    const metric = await fixture.executor.deps.metrics.embeddings.get();
    return metric.values.find(({ labels }) => labels.outcome === "failed")?.value ?? 0;
  };

  it("are delivered without a common word, and those with one that mean something else are not", async () => {
    await fixture.play(answerTurn("native-thinking"));
    const near = await store("near", "The cat needs water first.");
    await store("near", "canine: alert of a tiger");
    await store("other-team", "cat of others");
    const start = server.requests.length;
    const id = await insert("near", "feline alert of a tiger");
    expect(await fixture.run(id)).to.equal("completed");
    const rows = await fixture.executor.query(
      "SELECT content, metadata FROM timeline_events WHERE session_id = $1 AND event_type = 'memory_injected'",
      [id],
    );
    expect(rows).to.deep.equal([
      {
        content: "1. (procedural, positive, confidence 0.70) The cat needs water first.",
        metadata: { count: 1, memory_ids: [near] },
      },
    ]);
    expect(await stored(near)).to.deep.equal({ embedding: [1, 0, 0], embedding_model: NAME });
    expect(sentSince(start)).to.include("feline alert").and.include("cat needs").and.not.include("of others");
    const again = server.requests.length;
    expect(await fixture.run(await insert("near", "feline alert of a lion"))).to.equal("completed");
    expect(server.requests.length - again).to.equal(1);
    expect(sentSince(again)).to.include("of a lion").and.not.include("cat needs");
  });

  it("are ranked by meaning and words together, by confidence and age, and limited", async () => {
    await store("rank", "a cat is an animal");
    await store("rank", "cat with vogon poetry");
    await store("rank", "cat, unsure", { confidence: 0.1 });
    await store("rank", "kitten, which is less near");
    await store("rank", "cat of long ago", { ageDays: 200 });
    await store("rank", "cat that is wrong", { rating: "inaccurate" });
    const id = await insert("rank", "feline vogon");
    const found = await told(id);
    expect(found[0]).to.equal("cat with vogon poetry");
    expect(found).to.have.members([
      "cat with vogon poetry",
      "a cat is an animal",
      "cat, unsure",
      "kitten, which is less near",
    ]);
    expect(found.indexOf("a cat is an animal")).to.be.lessThan(found.indexOf("cat, unsure"));
    expect(await told(id, 1)).to.deep.equal(["cat with vogon poetry"]);
  });

  it("are found by their words while the model is away, which is counted", async () => {
    isAway = true;
    await store("away", "zebra crossing");
    await store("away", "the cat");
    const before = await failures();
    expect(await told(await insert("away", "a feline zebra"))).to.deep.equal(["zebra crossing"]);
    expect(await failures()).to.equal(before + 1);
    const id = await insert("away", "a feline zebra");
    await fixture.play(answerTurn("native-thinking"));
    expect(await fixture.run(id)).to.equal("completed");
  });

  it("lose the vector of a content that is changed, and get that of the new one", async () => {
    const memory = await store("edit", "the cat");
    const id = await insert("edit", "feline");
    expect(await told(id)).to.deep.equal(["the cat"]);
    await fixture.executor.query(
      "UPDATE investigation_memories SET content = 'the dog' WHERE memory_id = $1",
      [memory],
    );
    expect(await stored(memory)).to.deep.equal({ embedding: null, embedding_model: null });
    expect(await told(id)).to.deep.equal([]);
    expect(await stored(memory)).to.deep.equal({ embedding: [0, 1, 0], embedding_model: NAME });
  });

  it("are found by the words of those that have no vector yet, of which each look adds a bounded number", async () => {
    for (let index = 0; index < 25; index += 1) await store("many", `cat ${index}`);
    const start = server.requests.length;
    await told(await insert("many", "feline"));
    const sent = sentSince(start).match(/cat \d+/gu) ?? [];
    expect(sent).to.have.length(20);
    expect(await told(await insert("many", "feline"))).to.have.length(25);
  });

  it("are recalled by tools, and have vectors once they are learned", async () => {
    const teams = "recall";
    await store(teams, "The cat needs milk.");
    const strategy = "native-thinking";
    await fixture.play(
      callTurn(strategy, 1, "recall_past_investigations", { query: "feline food" }),
      answerTurn(strategy),
    );
    const id = await insert(teams, "nothing of the kind");
    expect(await fixture.run(id)).to.equal("completed");
    const [result] = await fixture.executor.query(
      "SELECT tool_result ->> 'content' AS content FROM mcp_interactions WHERE session_id = $1 AND interaction_type = 'tool_call'",
      [id],
    );
    expect(result).to.have.property("content").that.includes("The cat needs milk.");

    const note = { content: "dog", category: "semantic", valence: "neutral" };
    await fixture.play({ steps: [{ text: JSON.stringify({ create: [note] }) }] });
    const asked = await ask(fixture.executor, id, {
      kind: "feedback",
      question: "It was the dog.",
      strategy: "memory-extraction",
      stages: [["MemoryExtraction"]],
      remembers: true,
    });
    await changeConfig(
      fixture.executor,
      asked.followUpId,
      "jsonb_set(config, '{memory,embedding}', $2::jsonb)",
      { of: "follow_ups.follow_up_id", values: [JSON.stringify(EMBEDDING)] },
    );
    expect(await fixture.run(id)).to.equal("followed-up");
    const learned = await fixture.executor.query(
      "SELECT content, embedding, embedding_model FROM investigation_memories WHERE source_session_id = $1",
      [id],
    );
    expect(learned).to.deep.equal([{ content: "dog", embedding: [0, 1, 0], embedding_model: NAME }]);
  });
});
