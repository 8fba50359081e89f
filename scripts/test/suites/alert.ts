import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { tarsyHere } from "../tarsy-here.ts";
import type { PipelineFixture } from "../../../test/support/pipeline-fixture.ts";
import { programEntry } from "../../../test/support/spawn-service.ts";
import { TarsyClient } from "../../../test/support/tarsy-client.ts";
import type { TarsySystem } from "../../../test/support/tarsy-system.ts";
import { until } from "../../../test/support/until.ts";

const EXAMPLES = join(import.meta.dirname, "../../../examples");
const ALERTS = join(EXAMPLES, "alerts");

interface Run {
  readonly out: () => string;
  readonly errors: () => string;
  readonly exit: Promise<number | null>;
  readonly interrupt: () => void;
}

/** Runs the command in this process. */
const alert = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  tarsyHere(["alert", ...args], env);

/** What `npm run alert` runs, and the same command, which a run of all tests has bundled. */
const ALERT = [join(EXAMPLES, "alert.ts")];
const TARSY_ALERT = [programEntry("scripts/tarsy"), "alert"];

/** Starts the command, with this text as its standard input. */
function startAlert(args: readonly string[], input: string, program = TARSY_ALERT): Run {
  const child = spawn(process.execPath, [...program, ...args], {
    env: { PATH: process.env["PATH"] },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.stdin.end(input);
  return {
    out: () => out,
    errors: () => errors,
    exit: once(child, "close").then(() => child.exitCode),
    interrupt: () => void child.kill("SIGINT"),
  };
}

export function alerts(opened: () => PipelineFixture): void {
  describe("npm run alert", () => {
    let system: TarsySystem;
    let addresses: readonly string[];

    before(() => {
      ({ system } = opened());
      addresses = ["--api", system.api, "--ws", system.ws];
    });

    it("shows an investigation of each example alert to its end, and exits with 0", async () => {
      for (const name of await readdir(ALERTS)) {
        const { code, out, errors } = await alert([join(ALERTS, name), ...addresses, "--type", "test"]);
        expect(code, errors).to.equal(0);
        expect(out).to.include("▶ Stage 1: analysis\n");
        expect(out).to.include("● thinking\nlet me 🤔 see\n");
        expect(out).to.include("● Final analysis\n# Findings\n\nthe disk is full 💾, délétez les logs\n");
        expect(out).to.match(/Session completed after [\d.]+ m?s\n$/u);
        expect(out).not.to.include("\u001B");
      }
    });

    it("reads an alert from standard input, and exits with 1 and a reason when the investigation fails", async () => {
      const run = startAlert(["-", ...addresses], "REFUSE this", ALERT);
      expect(await run.exit).to.equal(1);
      expect(run.errors()).to.equal("The investigation ended failed\n");
      expect(run.out().match(/we do not answer this/gu)).to.have.length(1);
    });

    it("finds the api and the notifier on the ports given to npm start", async () => {
      const env = { API_PORT: new URL(system.api).port, NOTIFIER_PORT: new URL(system.ws).port };
      const { code, out, errors } = await alert(["--text", "moved", "--type", "test"], env);
      expect(code, errors).to.equal(0);
      expect(out).to.include("● Final analysis\n");
    });

    it("takes the alert as a text", async () => {
      const text = ["--text", "Disk full on db-7"];
      const { code, out, errors } = await alert([...text, ...addresses, "--type", "test", "--no-wait"]);
      expect(code, errors).to.equal(0);
      expect(await new TarsyClient(system).session(out.trim())).to.include({
        alert_data: "Disk full on db-7",
      });
    });

    it("follows at the api's own address when the notifier's cannot be reached, and says so nowhere", async () => {
      const env = { TARSY_API_URL: system.api, TARSY_WS_URL: "ws://127.0.0.1:2/ws" };
      const { code, out, errors } = await alert(["--text", "behind a proxy", "--type", "test"], env);
      expect({ code, errors }).to.deep.equal({ code: 0, errors: "" });
      expect(out).to.include("● Final analysis\n");
    });

    it("shows everything once although the connection is lost in between", async () => {
      const run = startAlert(["-", ...addresses], "SLOW");
      await until("the analysis has begun", () => run.out().includes("one tw"));
      await system.stop("notifier", "SIGKILL");
      await system.startService("notifier");
      expect(await run.exit, run.errors()).to.equal(0);
      expect(run.errors()).to.include("reconnecting");
      expect(run.out().match(/one two three four five six seven eight nine/gu)).to.have.length(1);
      expect(run.out().match(/Session in progress/gu)).to.have.length(1);
    });

    it("leaves the investigation running when it is interrupted, and prints how to cancel it", async () => {
      const run = startAlert(["-", ...addresses], "HANG");
      await until("the analysis has begun", () => run.out().includes("this goes on"));
      run.interrupt();
      expect(await run.exit).to.equal(130);
      const id = /npm run tarsy -- cancel (\S+)/u.exec(run.out())?.[1] ?? "";
      const client = new TarsyClient(system);
      expect((await client.session(id)).status).to.equal("in_progress");
      await client.request("POST", `/api/v1/sessions/${id}/cancel`);
      await client.waitFor(id, ["cancelled"]);
    });

    it("reports invalid input in one sentence", async () => {
      const cases: [string[], number, string][] = [
        [[], 2, 'no FILE given: name one, - for standard input, or write --text "Disk full on db-7"\n'],
        [["a", "b"], 2, "2 arguments are too many: alert FILE | --text TEXT; quote one that has spaces\n"],
        [
          ["Disk full on db-7", ...addresses],
          2,
          'there is no file Disk full on db-7: name one, - for standard input, or send it as it is with --text "Disk full on db-7"\n',
        ],
        [["a", "--text", "b"], 2, "FILE and --text cannot be used together: give one of them\n"],
        [["--text", " "], 2, "--text is empty: write the alert\n"],
        [
          ["/nowhere/at/all", ...addresses],
          2,
          'there is no file /nowhere/at/all: name one, - for standard input, or send it as it is with --text "/nowhere/at/all"\n',
        ],
        [
          ["-", "--api", "nonsense"],
          2,
          '--api is "nonsense": it must be a URL such as http://localhost:8080\n',
        ],
        [
          [ALERTS, ...addresses],
          2,
          `${ALERTS} cannot be read: name a readable file, - for standard input, or send a text with --text\n`,
        ],
        [["-", "--nothing"], 2, "Unknown option '--nothing'\n"],
        [["-", "--typ", "test"], 2, "Unknown option '--typ': did you mean --type?\n"],
        [["/dev/null", ...addresses], 4, "data field is required (HTTP 400)\n"],
        [
          [join(ALERTS, "plain-text-emoji.txt"), "--api", "http://127.0.0.1:1"],
          3,
          "no answer from http://127.0.0.1:1: start TARSy with `npm start`, or name its address with --api\n",
        ],
      ];
      for (const [args, code, sentence] of cases) {
        expect(await alert(args)).to.deep.include({ code, errors: sentence });
      }
    });
  });
}
