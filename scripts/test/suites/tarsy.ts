import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { programEntry } from "../../../test/support/spawn-service.ts";
import type { PipelineFixture } from "../../../test/support/pipeline-fixture.ts";
import { until } from "../../../test/support/until.ts";
import { COMMANDS } from "../../tarsy/commands.ts";
import { commandHelp } from "../../tarsy/run-tarsy.ts";
import { tarsyHere, type TarsyRun } from "../tarsy-here.ts";

const MAIN = programEntry("scripts/tarsy");

/** What the judge says. */
export const JUDGE_CALLS = [
  { when: { agent: "ScoringAgent", call: 1 }, steps: [{ text: "Well done.\nTAGS: none\n77" }] },
  { when: { agent: "ScoringAgent" }, steps: [{ text: "None." }] },
];

interface Run {
  readonly out: () => string;
  readonly exit: Promise<TarsyRun>;
  readonly interrupt: () => void;
}

export function tarsy(opened: () => PipelineFixture): void {
  describe("npm run tarsy", () => {
    let pipeline: PipelineFixture;

    before(() => {
      pipeline = opened();
    });

    const environment = () => {
      const { api, ws } = pipeline.system;
      return { PATH: process.env["PATH"], TARSY_API_URL: api, TARSY_WS_URL: ws };
    };
    const start = (...args: readonly string[]): Run => {
      const child = spawn(process.execPath, [MAIN, ...args], { env: environment() });
      let [out, errors] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
      child.stdin.end("disk full");
      return {
        out: () => out,
        exit: once(child, "close").then(() => ({ code: child.exitCode ?? -1, out, errors })),
        interrupt: () => void child.kill("SIGINT"),
      };
    };
    const run = (...args: readonly string[]) => tarsyHere(args, environment());

    it("shows the alerts of a session's incident, newest first", async () => {
      const fingerprint = randomUUID();
      const submit = async (n: number) => pipeline.client.submit(JSON.stringify({ fingerprint, n }));
      const id = await submit(1);
      for (const n of [2, 3]) expect(await submit(n)).to.equal(id);
      const shown = await run("alerts", id, "--limit", "2");
      expect(shown).to.include({ code: 0, errors: "" });
      expect(shown.out)
        .to.match(/^3 alerts\n\n● 3 (?:linked|counted) /u)
        .and.include('"n":2')
        .and.match(/older ones: --before 2\n$/u);
      expect((await run("alerts", id, "--before", "2")).out).to.include("● 1 opened");
      expect((await run("show", id, "--brief")).out).to.match(/^alerts +3 \(open\)$/mu);
      expect(await run("alerts", id, "--limit", "x")).to.include({ code: 2, out: "" });
      const alone = await pipeline.client.submit("disk full");
      expect((await run("alerts", alone)).out).to.include("grouping is off");
    });

    it("writes the cassette of a session, and replays it from there and from the api", async () => {
      const directory = await mkdtemp(join(tmpdir(), "tarsy-cassettes-"));
      try {
        const id = await pipeline.client.submit("disk full");
        await pipeline.client.waitFor(id, ["completed"]);
        const written = await run("cassette", id, "--out", directory);
        expect(written).to.include({ code: 0, errors: "" });
        const file = join(directory, `${id}.cassette.json`);
        expect(written.out.trim().endsWith(`${id}.cassette.json`), written.out).to.equal(true);
        const replayed = await run("replay", file, id);
        expect(`${replayed.code} ${replayed.out}`).to.match(/^0 identical .*\nidentical .*\n$/u);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });

    it("has a session scored, waits for the judge, and shows what it says", async () => {
      const id = await pipeline.client.submit("disk full");
      await pipeline.client.waitFor(id, ["completed"]);
      const scored = await run("score", id);
      expect(scored).to.include({ code: 0, errors: "" });
      expect(scored.out)
        .to.match(/^77 of 100\n/u)
        .and.to.include("Well done.")
        .and.to.include("None.");
      expect((await run("score", id, "--last")).out).to.equal(scored.out);
      expect((await run("show", id, "--brief")).out).to.match(/^score +77$/mu);
      expect(await run("score", randomUUID())).to.include({ code: 4, out: "" });
    });

    it("shows budgets, and says why it may not set one", async () => {
      await pipeline.servers.query(
        `INSERT INTO budgets (scope, key, period, limit_usd, limit_calls, soft_ratio, set_by)
       VALUES ('team', 'nobody', 'day', 12.5, 100, 0.8, 'test')`,
        [],
      );
      const left =
        "0 of 12.5 usd used, 0 reserved, 12.5 left\nteam nobody (day)  0 of 100 calls used, 0 reserved, 100 left";
      expect(await run("budgets")).to.deep.equal({
        code: 0,
        out: `team nobody (day)  ${left}\n`,
        errors: "",
      });
      expect(await run("budgets", "set", "day", "--calls", "5")).to.include({ code: 4, out: "" });
      expect(await run("budgets", "delete", "day")).to.include({ code: 4, out: "" });
      expect(await run("budgets", "set", "week")).to.include({ code: 2 });
      expect(await run("budgets", "set", "day", "--usd", "none")).to.include({ code: 2 });
    });

    it("has a help for itself and for each command", async () => {
      const overview = await run("--help");
      expect(overview).to.include({ code: 0, errors: "" });
      for (const command of COMMANDS) {
        expect(overview.out).to.match(new RegExp(`^ {2}${command.name} `, "mu"));
        const help = commandHelp(command);
        for (const option of Object.keys(command.options)) expect(help).to.include(`--${option}`);
        expect(await run(command.name, "--help")).to.include({ code: 0, out: help, errors: "" });
      }
      expect(await run()).to.include({ code: 2, out: "" });
      expect(await start("fly").exit).to.deep.equal({
        code: 2,
        out: "",
        errors: "there is no command fly: npm run tarsy -- --help lists them\n",
      });
    });

    it("submits an alert without waiting, watches it to its end, and shows it", async () => {
      const submitted = await start("alert", "-", "--no-wait", "--type", "test", "--priority", "low").exit;
      expect(submitted).to.include({ code: 0, errors: "" });
      const id = submitted.out.trim();
      const watched = await run("watch", id);
      expect(watched).to.include({ code: 0, errors: "" });
      expect(watched.out)
        .to.include("● Final analysis\n")
        .and.match(/Session completed after/u);
      const events = (await run("watch", id, "--json")).out.trim().split("\n");
      const types = events.map((line): unknown => JSON.parse(line));
      expect(types.at(-1)).to.include({ type: "session.completed", session_id: id });
      const shown = await run("show", id);
      expect(shown).to.include({ code: 0, errors: "" });
      expect(shown.out)
        .to.include(id)
        .and.match(/^alert +disk full$/mu)
        .and.include("completed")
        .and.include("\n● thinking ")
        .and.include("Final analysis\n")
        .and.not.include("\u001B");
      const listed = await run(
        "list",
        "--status",
        "completed,running",
        "--type",
        "test",
        "--priority",
        "low",
      );
      expect(listed).to.include({ code: 0, errors: "" });
      expect(listed.out)
        .to.match(new RegExp(`^${id} {2}completed +low .* [\\d:]{5} .* disk full`, "mu"))
        .and.include("page 1 of 1");
      expect(await run("list", "--status", "gone")).to.include({ code: 2, out: "" });
      expect(JSON.parse((await run("show", id, "--json")).out)).to.include({ id, status: "completed" });
    });

    it("ends at once when it is interrupted while it waits for standard input", async () => {
      const child = spawn(process.execPath, [MAIN, "alert", "-", "--api", pipeline.system.api], {
        env: { PATH: process.env["PATH"], NODE_DEBUG: "stream" },
        stdio: ["pipe", "ignore", "pipe"],
      });
      try {
        // Node.js tells when standard input is read, which is after the handler of the signal is set.
        let debug = "";
        child.stderr.setEncoding("utf8").on("data", (text: string) => (debug += text));
        await until("standard input is read", () => debug.includes("need readable"));
        child.kill("SIGINT");
        await once(child, "close");
        expect(child.exitCode).to.equal(130);
      } finally {
        child.kill("SIGKILL");
      }
    });

    it("leaves the investigation running when watching is interrupted, and cancels it", async () => {
      const id = await pipeline.client.submitUntilAccepted("HANG");
      const watching = start("watch", id);
      await until("the analysis has begun", () => watching.out().includes("this goes on"));
      watching.interrupt();
      expect(await watching.exit).to.include({ code: 130 });
      expect(watching.out()).to.include(`npm run tarsy -- cancel ${id}`);
      expect(await pipeline.client.session(id)).to.include({ status: "in_progress" });
      expect((await run("show", id, "--brief")).out).to.match(/^▶ .*: running$/mu);
      expect(await run("approve", id)).to.deep.equal({ code: 0, out: "no pending approvals\n", errors: "" });
      const parked = { code: 0, out: `${id} will be parked after its current step\n`, errors: "" };
      expect(await run("park", id, "--reason", "later")).to.deep.equal(parked);
      await until("it is parked", async () =>
        /^parked +by \S+ since/mu.test((await run("show", id, "--brief")).out),
      );
      expect((await run("list", "--status", "parked")).out).to.include(id);
      expect((await run("list", "--status", "needs_approval,failing")).out).not.to.include(id);
      const mixed = await run("list", "--status", "parked,completed");
      expect(`${mixed.code} ${mixed.errors}`).to.match(/^2 .*give parked, .*without other words/u);
      const resumed = { code: 0, out: `${id} resumes when a slot is free\n`, errors: "" };
      expect(await run("resume", id)).to.deep.equal(resumed);
      await until("it has gone on", async () => (await run("resume", id)).out === `${id} is not parked\n`);
      expect(await run("cancel", id)).to.deep.equal({
        code: 0,
        out: `${id} is being cancelled\n`,
        errors: "",
      });
      await pipeline.client.waitFor(id, ["cancelled"]);
      const watched = await run("watch", id);
      expect(watched).to.include({ code: 1 });
      const cancelled = /Cancelled by operator at \w{3} \d+, \d{4}, [\d:]{8} UTC/u;
      const shown = await run("show", id, "--brief");
      const listed = await run("list", "--status", "cancelled");
      for (const text of [watched.errors, shown.out, listed.out]) {
        expect(text).to.match(cancelled).and.not.include("the user");
      }
      const again = await run("cancel", id);
      expect(again).to.deep.equal({
        code: 4,
        out: "",
        errors: "session is not in a cancellable state (HTTP 409)\n",
      });
    });

    it("says in one line what is wrong, with the code that docs/sessions.md names", async () => {
      const unknown = randomUUID();
      const cases: [string[], number, string][] = [
        [["show"], 2, "no SESSION given: name the id of one\n"],
        [["show", "5"], 2, '"5" is not the id of a session: npm run tarsy -- list shows them\n'],
        [["show", unknown], 4, "resource not found (HTTP 404)\n"],
        [["watch", unknown], 4, "resource not found (HTTP 404)\n"],
        [["approve", unknown, "x"], 2, '"x" is not the id of a question\n'],
        [["approve", unknown, "--deny"], 2, "no APPROVAL given: name the id of a question\n"],
        [["approve", unknown], 4, "resource not found (HTTP 404)\n"],
        [["list", "--limit", "0"], 2, '--limit is "0": give a whole number from 1 to 100\n'],
        [["list", "--limit", "101"], 2, '--limit is "101": give a whole number from 1 to 100\n'],
        [
          ["list", "--since", "yesterday"],
          2,
          '--since is "yesterday": give a time in RFC 3339, such as 2026-01-31T12:00:00Z\n',
        ],
        [
          ["list", "--until", "2026-02-30T00:00:00Z"],
          2,
          '--until is "2026-02-30T00:00:00Z": give a time in RFC 3339, such as 2026-01-31T12:00:00Z\n',
        ],
        [
          ["list", "--search", "ab"],
          2,
          "--search is too short: give at least 3 characters, or 1 of Chinese, and at most 1000\n",
        ],
        [["list", "--page", "x"], 2, '--page is "x": give a whole number from 1 to 1000000\n'],
        [["config", "guess"], 2, "config guess: use check or show\n"],
        [["completion", "tcsh"], 2, "completion tcsh: use bash, zsh, fish\n"],
        [
          ["show", unknown, "--api", "http://127.0.0.1:1"],
          3,
          "no answer from http://127.0.0.1:1: start TARSy with `npm start`, or name its address with --api\n",
        ],
      ];
      for (const [args, code, errors] of cases) {
        expect(await run(...args), args.join(" ")).to.deep.equal({ code, out: "", errors });
      }
    });

    it("ends quietly when the reader of its output has gone", async () => {
      const id = await pipeline.client.submitUntilAccepted("disk full");
      await pipeline.client.waitFor(id, ["completed"]);
      const shell = spawn(
        "bash",
        ["-c", `"$0" "$1" show ${id} | true; echo "\${PIPESTATUS[0]}"`, process.execPath, MAIN],
        {
          env: { PATH: process.env["PATH"], TARSY_API_URL: pipeline.system.api },
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      let [out, errors] = ["", ""];
      shell.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      shell.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
      await once(shell, "close");
      expect({ out, errors }).to.deep.equal({ out: "141\n", errors: "" });
    });
  });
}
