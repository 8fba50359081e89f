import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePort } from "../../launcher/free-port.ts";
import { SERVICE_NODE_FLAGS } from "../../launcher/service-node-flags.ts";
import type { BackingServers } from "../../test/support/backing-servers.ts";
import { until } from "../../test/support/until.ts";

const HOST = "127.0.0.1";
const NOTIFIER = join(import.meta.dirname, "../../services/notifier/main.ts");

/** A WebSocket server in a process of its own. */
export interface WsProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** What `plain-ws-server.ts` sends to all its clients. */
  send(text: string): void;
}

/** The real notifier, as `npm start` runs it. */
export async function startNotifierProcess({ postgres, nats }: BackingServers): Promise<WsProcess> {
  const [port, healthPort] = [await freePort(HOST), await freePort(HOST)];
  const child = spawn(process.execPath, [...SERVICE_NODE_FLAGS, NOTIFIER], {
    env: {
      PATH: process.env["PATH"],
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      NOTIFIER_PORT: String(port),
      NOTIFIER_HEALTH_PORT: String(healthPort),
      LOG_LEVEL: "error",
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await until("the notifier is ready", async () => (await fetch(`http://${HOST}:${healthPort}/readyz`)).ok);
  return describe(child, port);
}

/** One of the programs beside this file, which tells its port. */
export async function startRelay(program: string, ...args: readonly string[]): Promise<WsProcess> {
  const child = fork(join(import.meta.dirname, program), [...args], { execArgv: [...SERVICE_NODE_FLAGS] });
  const told: readonly unknown[] = await once(child, "message");
  return describe(child, Number(told[0]));
}

function describe(child: ChildProcess, port: number): WsProcess {
  return {
    port,
    pid: child.pid ?? 0,
    send: (text) => void child.send(text),
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
