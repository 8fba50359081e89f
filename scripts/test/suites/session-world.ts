import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { PipelineFixture } from "../../../test/support/pipeline-fixture.ts";
import { tarsyHere } from "../tarsy-here.ts";

const TYPE = "memory";
const QUOTE = "cart-1 OOMKilled";

const watcher = (call: object, steps: readonly object[]) => ({ when: { agent: "Watcher", ...call }, steps });

/** An agent that looks, and states what it concludes with a quote for one of two causes. */
export const WATCHER = {
  agents: { Watcher: { mcp_servers: ["eyes"], iteration_strategy: "native-thinking" } },
  chain: {
    alert_types: [TYPE],
    stages: [{ name: "look", conclusion: "rca.v1", agents: [{ name: "Watcher" }] }],
  },
  servers: { eyes: { transport: { type: "stdio", command: "true" } } },
  tools: { eyes: { pods: { effect: "read", results: [{ text: `${QUOTE}\ncart-2 Running` }] } } },
  calls: [
    watcher({ call: 1 }, [{ tool_call: { name: "eyes.pods", arguments: { text: "shop" } } }]),
    watcher({ call: 2 }, [
      {
        tool_call: {
          name: "tarsy.conclude",
          arguments: {
            status: "confirmed",
            summary: "The cart has too little memory.",
            confidence: 90,
            causes: [
              { entity: "app/cart", kind: "resource_exhaustion", code: "", statement: "out of memory" },
              { entity: "node/one", kind: "infrastructure", code: "", statement: "perhaps" },
            ],
            claims: [{ id: "c1", cause: 1, text: "It was killed.", source: "r1", lines: "", quote: QUOTE }],
            ruled_out: [],
            gaps: [],
            next_checks: [],
          },
        },
      },
    ]),
    watcher({}, [{ text: "The cart has too little memory." }]),
  ],
} as const;

export function sessionWorlds(opened: () => PipelineFixture): void {
  describe("npm run tarsy -- cassette --as-world", () => {
    it("asks a person for rating and truth, and writes a world", async () => {
      const pipeline = opened();
      const directory = await mkdtemp(join(tmpdir(), "tarsy-session-world-"));
      const run = (...args: readonly string[]) =>
        tarsyHere(args, { PATH: process.env["PATH"], TARSY_API_URL: pipeline.system.api });
      const write = (id: string, ...args: readonly string[]) =>
        run("cassette", id, "--as-world", "--out", directory, ...args);
      try {
        const hanging = await pipeline.client.submit("HANG");
        const early = await write(hanging);
        expect(early.code).to.equal(1);
        expect(early.errors).to.contain("has not ended: it is ");
        await pipeline.client.request("POST", `/api/v1/sessions/${hanging}/cancel`);

        const id = await pipeline.client.submit("cart restarts", { alert_type: TYPE });
        await pipeline.client.waitFor(id, ["completed"]);
        const unrated = await write(id);
        expect(unrated.code).to.equal(1);
        expect(unrated.errors).to.contain("is not rated: a person must have rated it accurate");
        const review = { session_ids: [id], action: "complete", quality_rating: "accurate" };
        expect((await pipeline.client.request("PATCH", "/api/v1/sessions/review", review)).status).to.equal(
          200,
        );

        const drafted = await write(id);
        expect(drafted.code, drafted.errors).to.equal(0);
        expect(drafted.errors).to.contain("no world is written yet");
        const file = join(directory, `${id}.truth-draft.json`);
        const draft = await readFile(file, "utf8");
        expect(JSON.parse(draft)).to.deep.equal({
          confirmed_by: "",
          causes: [{ object: "app/cart", cause: "resource_exhaustion", category: "resource_exhaustion" }],
        });
        const again = await write(id);
        expect(again.code).to.equal(2);
        expect(again.errors).to.contain("pass it with --truth");
        const unconfirmed = await write(id, "--truth", file);
        expect(unconfirmed.code).to.equal(2);
        expect(unconfirmed.errors).to.contain("confirmed_by");

        await writeFile(file, draft.replace('"confirmed_by": ""', '"confirmed_by": "ann"'));
        const written = await write(id, "--truth", file);
        expect(written.code, written.errors).to.equal(0);
        expect(written.out.trim().endsWith(`${id}.world.json`), written.out).to.equal(true);
        const truth = await readFile(join(directory, `${id}.truth.json`), "utf8");
        expect(truth).to.contain('"added_by": "ann"').and.contain('"thin": true');
        const listed = await run("eval", "worlds", directory);
        expect(listed.code, listed.errors).to.equal(0);
        expect(listed.out).to.contain("1 world, 1 answer,");
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });

    it("takes one session, and its options only with --as-world", async () => {
      const id = "5f0c0c0c-0c0c-4c0c-8c0c-0c0c0c0c0c0c";
      const two = await tarsyHere(["cassette", id, id, "--as-world"], {});
      expect(two).to.include({ code: 2, errors: "--as-world takes one SESSION\n" });
      const without = await tarsyHere(["cassette", id, "--truth", "x"], {});
      expect(without).to.include({ code: 2, errors: "--truth needs --as-world\n" });
    });
  });
}
