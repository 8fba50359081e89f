import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NIGHTLY } from "../../test/support/nightly.ts";
import { findPostgresBinaries } from "../postgres/find-postgres-binaries.ts";
import { findSetpriv } from "../process/die-with-parent.ts";

/** An id without a line in /etc/passwd. */
const NAMELESS = 1_234_567;

/** Only root can become another user. */
if (process.getuid?.() === 0 && findSetpriv() !== undefined) {
  describe("startPostgres for a user id without a name", () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "tarsy-nameless-"));
      chmodSync(folder, 0o777);
      findPostgresBinaries(); // completes their libraries, which the other user could not
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const start = async (path: string) => {
      const script = `
        import { startPostgres } from ${JSON.stringify(join(import.meta.dirname, "../postgres/start-postgres.ts"))};
        try {
          const server = await startPostgres({ dataDir: ${JSON.stringify(join(folder, "data"))}, port: 0, durable: false });
          await server.stop();
          console.log("started");
        } catch (error) {
          console.log(error.message);
        }`;
      const ids = ["--reuid", String(NAMELESS), "--regid", String(NAMELESS), "--clear-groups"];
      const child = spawn(
        findSetpriv() ?? "",
        [...ids, process.execPath, "--input-type=module", "-e", script],
        { env: { PATH: path, HOME: folder }, stdio: ["ignore", "pipe", "inherit"] },
      );
      let out = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      await once(child, "close");
      return out.trim();
    };

    it("says what to do, and creates no cluster, where it cannot get a name", async () => {
      // Without unshare on the PATH.
      symlinkSync(process.execPath, join(folder, "node"));
      const said = await start(folder);
      expect(said)
        .to.include(`user id ${NAMELESS} has no name in /etc/passwd`)
        .and.include(`tarsy:x:${NAMELESS}:${NAMELESS}:`)
        .and.include("DATABASE_URL");
      expect(() => statSync(join(folder, "data", "cluster"))).to.throw("ENOENT");
    });

    // Twice a new Node.js and a Postgres.
    if (!NIGHTLY) return;

    it("starts, also a second time, on files of that id, or says what to do where it may make no namespace", async () => {
      const { PATH = "" } = process.env;
      const first = await start(PATH);
      if (first !== "started") {
        expect(first).to.include(`user id ${NAMELESS} has no name`).and.include("DATABASE_URL");
        return;
      }
      expect(await start(PATH)).to.equal("started");
      expect(statSync(join(folder, "data", "cluster", "PG_VERSION")).uid).to.equal(NAMELESS);
    });
  });
}
