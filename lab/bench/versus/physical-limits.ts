import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { BackingServers } from "../../../test/support/backing-servers.ts";
import { untilExited } from "../support/until-exited.ts";
import type { Limits } from "./comparison.ts";
import { nextMessage } from "../support/next-message.ts";

const PROGRAM = join(import.meta.dirname, "limits-process.ts");
const parseLimits = compileParser(
  "physical limits",
  Type.Object({
    commit_ms: Type.Number(),
    commit_cpu_ms: Type.Number(),
    publish_ms: Type.Number(),
    publish_cpu_ms: Type.Number(),
    write_ms: Type.Number(),
    write_cpu_ms: Type.Number(),
  }),
);

/** A process that measures bare commits, publishes and socket writes. */
export interface PhysicalLimits extends AsyncDisposable {
  measure(): Promise<Limits>;
}

/** Starts the process, which uses these servers. Disposal stops it. */
export async function startPhysicalLimits({ postgres, nats }: BackingServers): Promise<PhysicalLimits> {
  await using resources = new AsyncDisposableStack();
  const sink = createServer((socket) => void socket.on("error", () => undefined).resume());
  sink.listen(0, "127.0.0.1");
  await once(sink, "listening");
  resources.defer(() => void sink.close());
  const address = sink.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const child: ChildProcess = fork(PROGRAM, [postgres.url, nats.url, String(port)]);
  resources.defer(async () => {
    child.kill("SIGKILL");
    await untilExited(child);
  });
  await nextMessage(child, "the process that measures the limits");
  const owned = resources.move();
  return {
    measure: async () => {
      const answer = nextMessage(child, "the process that measures the limits");
      child.send("measure");
      return parseLimits(await answer);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
