import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  PROTOCOL_VERSION,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expect } from "chai";
import type { PipelineFixture } from "../../../test/support/pipeline-fixture.ts";
import { CHECKOUT } from "../../../test/support/spawn-service.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { until } from "../../../test/support/until.ts";
import { APPROVAL_TOKEN } from "./approval-questions.ts";

/** An editor with an agent that is a process of its own. */
export class Editor implements AsyncDisposable {
  readonly updates: SessionUpdate[] = [];
  readonly questions: RequestPermissionRequest[] = [];
  errors = "";
  readonly #child: ReturnType<typeof spawn>;
  readonly #connection;

  constructor({ api, ws, state }: { api: string; ws: string; state: string }, args: readonly string[]) {
    this.#child = spawn(process.execPath, [join(CHECKOUT, "scripts/tarsy/main.ts"), "acp", ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        TARSY_API_URL: api,
        TARSY_WS_URL: ws,
        TARSY_TOKEN: APPROVAL_TOKEN,
        XDG_STATE_HOME: state,
      },
    });
    const { stdin, stdout, stderr } = this.#child;
    if (stdin === null || stdout === null || stderr === null) throw new Error("no pipes");
    stderr.on("data", (text: Buffer) => (this.errors += text.toString()));
    this.#connection = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => void this.updates.push(params.update))
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.questions.push(params);
        return { outcome: { outcome: "selected" as const, optionId: "allow" } };
      })
      .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout)));
  }

  get agent() {
    return this.#connection.agent;
  }

  async begin(): Promise<string> {
    const { protocolVersion } = await this.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
    });
    expect(protocolVersion).to.equal(1);
    return (await this.agent.request(methods.agent.session.new, { cwd: "/", mcpServers: [] })).sessionId;
  }

  async prompt(sessionId: string, text: string): Promise<string> {
    const { stopReason } = await this.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    return stopReason;
  }

  /** The text of all updates of a kind. */
  textOf(kind: SessionUpdate["sessionUpdate"]): string {
    return this.updates
      .flatMap((update) =>
        update.sessionUpdate === kind &&
        "content" in update &&
        update.content !== null &&
        update.content !== undefined
          ? "text" in update.content
            ? [update.content.text]
            : []
          : [],
      )
      .join("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#connection.close();
    this.#child.stdin?.end();
    await ended;
  }
}

export function acp(opened: () => PipelineFixture): void {
  describe("npm run tarsy -- acp", () => {
    let pipeline: PipelineFixture;
    let state: string;

    before(async () => {
      pipeline = opened();
      state = await mkdtemp(join(tmpdir(), "tarsy-acp-"));
    });
    after(() => rm(state, { recursive: true, force: true }));

    const open = (...args: readonly string[]) =>
      new Editor({ api: pipeline.system.api, ws: pipeline.system.ws, state }, args);

    it("investigates a prompt, answers the next one, and gives all of it to a process that loads it", async () => {
      let id: string;
      {
        await using editor = open();
        id = await editor.begin();
        expect(await editor.prompt(id, "disk full")).to.equal("end_turn");
        expect(editor.textOf("agent_thought_chunk")).to.contain("let me 🤔 see");
        expect(editor.textOf("agent_message_chunk"))
          .to.contain("the disk is full 💾")
          .and.contain("In short.");
        expect(editor.updates.findLast(({ sessionUpdate }) => sessionUpdate === "plan")).to.deep.include({
          entries: [{ content: "analysis", status: "completed", priority: "medium" }],
        });
        const before = editor.textOf("agent_message_chunk");
        expect(await editor.prompt(id, "Why?")).to.equal("end_turn");
        expect(editor.textOf("agent_message_chunk").length).to.be.above(before.length);
        expect(editor.errors).to.equal("");
      }
      await using later = open();
      await later.begin();
      await later.agent.request(methods.agent.session.load, { sessionId: id, cwd: "/", mcpServers: [] });
      expect(later.textOf("user_message_chunk")).to.equal("disk fullWhy?");
      expect(later.textOf("agent_message_chunk")).to.contain("the disk is full 💾").and.contain("In short.");
    });

    it("asks the editor's user about a call, with its arguments and their hash, and sends the decision", async () => {
      await using editor = open("--type", "act");
      const id = await editor.begin();
      expect(await editor.prompt(id, "ACT now")).to.equal("end_turn");
      expect(editor.questions).to.have.length(1);
      const [question] = editor.questions;
      expect(question?.options.map(({ kind }) => kind)).to.deep.equal(["allow_once", "reject_once"]);
      expect(JSON.stringify(question?.toolCall)).to.match(/SHA-256 of the arguments: [0-9a-f]{64}/u);
      const result = editor.updates.findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
      expect(JSON.stringify(result)).to.contain("removed").and.contain("completed");
    });

    it("goes on when the api dies meanwhile, and cancels", async () => {
      await using editor = open();
      const id = await editor.begin();
      const running = editor.prompt(id, "HANG");
      await until("there is text", () => editor.textOf("agent_message_chunk").includes("this goes on"));
      await pipeline.system.stop("api", "SIGKILL");
      const cancelling = editor.agent.notify(methods.agent.session.cancel, { sessionId: id });
      await pipeline.system.startService("api");
      await cancelling;
      expect(await running).to.equal("cancelled");
    });

    it("ends when its editor does, and the next one sends a note once though its answer is lost, and cancels", async () => {
      let id: string;
      {
        await using editor = open();
        id = await editor.begin();
        editor.prompt(id, "HANG").catch(() => undefined);
        await until("there is text", () => editor.textOf("agent_message_chunk").includes("this goes on"));
      }
      let answers = 0;
      await using proxy = await TcpProxy.start({
        host: "127.0.0.1",
        port: Number(new URL(pipeline.system.api).port),
        tap: () => {
          let isNote = false;
          return {
            fromClient: (bytes) => {
              isNote ||= bytes.includes("/messages HTTP/1.1");
              return "forward";
            },
            fromServer: () => {
              if (isNote) answers += 1;
              return isNote && answers === 1 ? "cut" : "forward";
            },
          };
        },
      });
      await using later = new Editor(
        { api: proxy.leadTo(pipeline.system.api), ws: pipeline.system.ws, state },
        [],
      );
      await later.begin();
      await later.agent.request(methods.agent.session.load, { sessionId: id, cwd: "/", mcpServers: [] });
      const running = later.prompt(id, "look at DNS");
      const notes = async () =>
        pipeline.servers.query("SELECT content FROM steering_messages WHERE content = 'look at DNS'", []);
      await until("the note was sent again", () => answers > 1);
      await later.agent.notify(methods.agent.session.cancel, { sessionId: id });
      expect(await running).to.equal("cancelled");
      expect(await notes()).to.have.length(1);
    });

    it("cancels what it is about to submit", async () => {
      await using editor = open();
      const id = await editor.begin();
      await pipeline.system.stop("api", "SIGKILL");
      const running = editor.prompt(id, "HANG early");
      const cancelling = editor.agent.notify(methods.agent.session.cancel, { sessionId: id });
      await pipeline.system.startService("api");
      await cancelling;
      expect(await running).to.equal("cancelled");
    });

    it("fails a prompt whose investigation fails, with the reason", async () => {
      await using editor = open();
      const id = await editor.begin();
      const failure: unknown = await editor.prompt(id, "REFUSE").catch((error: unknown) => error);
      expect(String(failure)).to.contain("Internal error");
    });
  });
}
