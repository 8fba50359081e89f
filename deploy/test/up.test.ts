import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { testPort } from "../../test/support/test-port.ts";

const UP = join(import.meta.dirname, "..", "up.sh");

describe("up.sh", () => {
  let programs: string;
  before(async () => {
    programs = await mkdtemp(join(tmpdir(), "tarsy-up-"));
  });
  after(async () => rm(programs, { recursive: true, force: true }));

  /** Checks with programs that print these texts; one that is undefined fails. */
  async function check(
    texts: Readonly<Record<string, string | undefined>>,
    env: Record<string, string> = {},
  ) {
    for (const name of ["podman", "podman-compose", "docker"]) {
      const text = texts[name];
      const answer = text === undefined ? "echo broken >&2; exit 1" : `echo '${text}'`;
      const script = name === "podman" ? `[ "$1" = version ] && exec echo 5.4.0\n${answer}` : answer;
      await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const child = spawn(UP, ["--check"], { env: { PATH: `${programs}:/usr/bin:/bin`, ...env } });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (out += text));
    }
    await once(child, "close");
    return { code: child.exitCode, out };
  }

  const NEW = "podman-compose version 1.6.0";

  it("refuses a podman-compose that ignores the project name, and says how to get another", async () => {
    // As version 1.0.3 prints it.
    const old = "using podman version: 4.3.1\npodman-composer version  1.0.3";
    const { code, out } = await check({ podman: "", "podman-compose": old });
    expect(code).to.equal(1);
    expect(out).to.equal("podman-compose is 1.0.3, 1.5 or newer is needed: pipx upgrade podman-compose\n");
  });

  it("says why podman cannot run, and what to install", async () => {
    const { code, out } = await check({ podman: undefined, "podman-compose": NEW });
    expect(code).to.equal(1);
    expect(out).to.equal("podman cannot run here: broken (it needs crun or runc)\n");
  });

  it("takes docker with compose where podman-compose is too old", async () => {
    const old = { podman: "", "podman-compose": "podman-compose version 1.0.6", docker: "" };
    const port = String(await testPort());
    expect(await check(old, { TARSY_PORT: port })).to.deep.equal({
      code: 0,
      out: `docker compose can start TARSy on port ${port}\n`,
    });
  });

  it("refuses a port that is taken, and takes a free one", async () => {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const port = String(portOf(server));
    const taken = await check({ podman: "", "podman-compose": NEW }, { TARSY_PORT: port });
    server.close();
    await once(server, "close");
    expect(taken).to.deep.equal({
      code: 1,
      out: `port ${port} is taken: stop what listens there, or set TARSY_PORT in deploy/.env\n`,
    });
    expect(await check({ podman: "", "podman-compose": NEW }, { TARSY_PORT: port })).to.deep.equal({
      code: 0,
      out: `podman-compose can start TARSy on port ${port}\n`,
    });
  });
});

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
