import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { programEntry } from "../../../test/support/spawn-service.ts";
import type { PipelineFixture } from "../../../test/support/pipeline-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { tarsyHere } from "../tarsy-here.ts";

const MAIN = programEntry("scripts/tarsy");
/** The agents of a chat, and what they answer. */
export const CHAT_AGENTS = {
  TestAgent: { mcp_servers: [] },
  ChatAgent: { mcp_servers: [], iteration_strategy: "native-thinking" },
};
export const CHAT_CALLS = [
  { when: { contains: "**Question:** HANG" }, steps: [{ text: "well, it" }, { hang: true }] },
  { when: { contains: "**Question:** And now?" }, steps: [{ text: "it is over" }] },
  { when: { contains: "CURRENT TASK" }, steps: [{ text: "it was the memory" }] },
];

export function chats(opened: () => PipelineFixture): void {
  describe("npm run tarsy -- chat", () => {
    let pipeline: PipelineFixture;
    let id: string;

    before(async () => {
      pipeline = opened();
      id = await pipeline.client.submitUntilAccepted("disk full");
      await pipeline.client.waitFor(id, ["completed"]);
    });

    const environment = () => {
      const { api, ws } = pipeline.system;
      return { PATH: process.env["PATH"], TARSY_API_URL: api, TARSY_WS_URL: ws };
    };
    const ask = (...args: readonly string[]) => tarsyHere(["chat", ...args], environment());
    const start = (input: string, ...args: readonly string[]) => {
      const child = spawn(process.execPath, [MAIN, "chat", ...args], { env: environment() });
      let [out, errors] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
      child.stdin.end(input);
      const exit = once(child, "close").then(() => ({ code: child.exitCode, out, errors }));
      return { out: () => out, exit, interrupt: () => void child.kill("SIGINT") };
    };

    it("asks one question, and shows the answer but not the investigation", async () => {
      const { code, out, errors } = await ask(id, "--message", "Why?");
      expect({ code, errors }).to.deep.equal({ code: 0, errors: "" });
      expect(out).to.include("Why?").and.include("it was the memory").and.not.include("the disk is full");
    });

    it("takes each line of standard input as a question", async () => {
      const { code, out, errors } = await start("Why?\n\nAnd now?\n", id).exit;
      expect({ code, errors }).to.deep.equal({ code: 0, errors: "" });
      expect(out).to.match(/it was the memory[^]*And now\?[^]*it is over/u);
    });

    it("shows an answer once, although it comes as the final analysis, too", async () => {
      const { out } = await ask(id, "--message", "Why?");
      expect(out.split("it was the memory")).to.have.length(2);
    });

    /** The same in a terminal of its own, by `script` of util-linux. */
    const startInTerminal = () => {
      const command = `exec ${process.execPath} ${MAIN} chat ${id}`;
      const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
        env: { ...environment(), TERM: "xterm" },
      });
      let out = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      return {
        out: () => out,
        /** Types a text once it is asked for the nth time. */
        typeAt: async (prompt: number, text: string) => {
          await until(`it asks for question ${prompt}`, () => out.split("? ").length > prompt);
          child.stdin.write(text);
        },
        type: (text: string) => void child.stdin.write(text),
        exit: once(child, "close").then(() => child.exitCode),
      };
    };

    it("asks in a terminal for one question after another, until the input ends", async () => {
      const chat = startInTerminal();
      await chat.typeAt(1, "Why\n");
      await until("it is answered", () => chat.out().includes("it was the memory"));
      await chat.typeAt(2, "And now?\n");
      await until("it is answered, too", () => chat.out().includes("it is over"));
      await chat.typeAt(3, "\u0004");
      expect(await chat.exit).to.equal(0);
      expect(chat.out().split("And now?"), "a typed question is not repeated").to.have.length(2);
      expect(chat.out()).to.not.include("Aborted");
    });

    it("prints the events of the answer with --json", async () => {
      const { code, out } = await ask(id, "--message", "Why?", "--json");
      expect(code).to.equal(0);
      const last: unknown = JSON.parse(out.trim().split("\n").at(-1) ?? "");
      expect(last).to.include({ type: "stage.completed", status: "completed", stage_type: "chat" });
    });

    it("cancels the answer when it is interrupted", async () => {
      const chat = start("", id, "--message", "HANG");
      await until("the answer streams", () => chat.out().includes("well, it"));
      chat.interrupt();
      expect(await chat.exit).to.include({ code: 130 });
      await until("the answer is cancelled", async () => {
        const rows = await pipeline.servers.query(
          "SELECT 1 FROM stages WHERE session_id = $1 AND status = 'cancelled'",
          [id],
        );
        return rows.length === 1;
      });
      expect(await pipeline.client.session(id)).to.include({ status: "completed" });
    });

    it("cancels the answer in a terminal with Ctrl-C", async () => {
      const chat = startInTerminal();
      await chat.typeAt(1, "HANG\n");
      await until("the answer streams", () => chat.out().includes("well, it"));
      chat.type("\u0003");
      expect(await chat.exit).to.equal(130);
      expect(chat.out()).to.include("The answer is being cancelled.");
      await until("the next question is taken", async () => {
        const rows = await pipeline.servers.query("SELECT 1 FROM follow_ups WHERE completed_at IS NULL", []);
        return rows.length === 0;
      });
    });

    it("says what is wrong, with the code that docs/sessions.md names", async () => {
      expect(await ask(id, "--message", " ")).to.deep.equal({
        code: 2,
        out: "",
        errors: "--message is empty: write the question\n",
      });
      const gone = await pipeline.client.submit("x".repeat(10));
      await pipeline.client.waitFor(gone, ["completed"]);
      await pipeline.servers.query("UPDATE alert_sessions SET chain_id = 'gone' WHERE session_id = $1", [
        gone,
      ]);
      expect(await ask(gone, "--message", "Why?")).to.deep.equal({
        code: 4,
        out: "",
        errors: "chain configuration not found (HTTP 400)\n",
      });
    });
  });
}
