// Stands for a runner: connects to a server, lets it fork ten times, says all process ids, and waits to be killed.
import { env, stdout } from "node:process";
import { Connection } from "../connection.ts";
import { depsOf, hostile, resultText, settingsOf } from "./server-fixture.ts";

const { signal } = new AbortController();
const connection = await Connection.open({ ...depsOf(settingsOf(hostile("stubborn"))), env }, signal);
const ask = async (tool: string) =>
  resultText(await connection.call({ callId: tool, tool, args: {}, signal, onProgress: () => undefined }));
const pids = [await ask("pid")];
for (let i = 0; i < 10; i += 1) pids.push(await ask("fork"));
stdout.write(`${pids.join(" ")}\n`);
setInterval(() => {}, 60_000);
