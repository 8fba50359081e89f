import { expect } from "chai";
import { keepTexts } from "#shared/database/keep-texts.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { removeExpired } from "../sweeper/remove-expired.ts";
import { ApiFixture } from "./api-fixture.ts";

const skillFile = (name: string, body: string) =>
  `---\nname: ${name}\ndescription: What ${name} is for.\n---\n\n${body}\n`;
const [ALWAYS, MAYBE, OTHER] = ["# Always", "Maybe \u0000 this", "Nobody's"];
const MAYBE_STORED = MAYBE.replace("\u0000", "\uFFFD");

describe("skills in the api", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(
      await ApiFixture.start({
        config: {
          tarsy: { agents: { TestAgent: { skills: ["maybe"], required_skills: ["always"] } } },
          skills: {
            "always.md": skillFile("always", ALWAYS),
            "maybe/SKILL.md": skillFile("maybe", MAYBE),
            "other.md": skillFile("other", OTHER),
          },
        },
      }),
    );
  });
  after(() => resources.disposeAsync());

  const textsOf = async (id: string) =>
    api.servers.query(
      "SELECT body FROM needed_texts JOIN texts USING (hash) WHERE session_id = $1 ORDER BY body",
      [id],
    );
  const texts = async () => api.servers.query("SELECT body FROM texts ORDER BY body", []);
  const age = async (interval: string) =>
    api.servers.query("UPDATE texts SET used_at = now() - $1::interval", [interval]);
  const sweep = async () => removeExpired(api.deps.db, 90, new AbortController().signal);
  const NEEDED = [{ body: ALWAYS }, { body: MAYBE_STORED }];

  it("are shown by name with their descriptions, and one with its text", async () => {
    const { body } = await api.client.request("GET", "/api/v1/system/config");
    expect(body["skills"]).to.deep.equal({
      always: { name: "always", description: "What always is for." },
      maybe: { name: "maybe", description: "What maybe is for." },
      other: { name: "other", description: "What other is for." },
    });
    expect(await api.client.request("GET", "/api/v1/system/config/skills/always")).to.deep.equal({
      status: 200,
      body: { name: "always", description: "What always is for.", body: ALWAYS },
    });
    const unknown = await api.client.request("GET", "/api/v1/system/config/skills/constructor");
    expect(unknown).to.deep.include({ status: 404 });
    expect(unknown.body).to.have.property("message", "skill not found");
  });

  it("are kept with each session that needs them, also one with a key, and once for all", async () => {
    const plain = await api.client.submit("a");
    const keyed = await api.raw("POST", "/api/v1/alerts", {
      body: Buffer.from(JSON.stringify({ data: "b" })),
      headers: { "content-type": "application/json", "idempotency-key": "one" },
    });
    const parsed: unknown = JSON.parse(keyed.text);
    const keyedId: unknown =
      typeof parsed === "object" && parsed !== null && Reflect.get(parsed, "session_id");
    const many = await Promise.all(Array.from({ length: 20 }, async (_, n) => api.client.submit(`c${n}`)));
    for (const id of [plain, String(keyedId), ...many]) {
      expect(await textsOf(id)).to.deep.equal(NEEDED);
    }
    expect(await texts()).to.deep.equal(NEEDED);
  });

  it("are removed a day after the last session that needs them is gone", async () => {
    const id = await api.client.submit("d");
    await api.servers.query("INSERT INTO texts (hash, body) VALUES ($1, $2)", [textHash(OTHER), OTHER]);
    await sweep();
    expect(await texts()).to.have.length(3);
    await age("25 hours");
    await sweep();
    expect(await texts()).to.deep.equal(NEEDED);
    await api.servers.query("DELETE FROM alert_sessions WHERE session_id <> $1", [id]);
    await sweep();
    expect(await textsOf(id)).to.deep.equal(NEEDED);
    await api.servers.query("DELETE FROM alert_sessions", []);
    await sweep();
    expect(await texts()).to.deep.equal([]);
    // The next session brings them again.
    expect(await textsOf(await api.client.submit("e"))).to.deep.equal(NEEDED);
  });

  it("that were not needed for a while count as new for the sweep once a session needs them", async () => {
    await api.servers.query("DELETE FROM alert_sessions", []);
    await age("25 hours");
    await keepTexts(api.deps.db, [{ hash: textHash(ALWAYS), body: ALWAYS }]);
    await sweep();
    expect(await texts()).to.deep.equal([{ body: ALWAYS }]);
  });
});
