import { existsSync } from "node:fs";
import { isJsonObject } from "#shared/json-object.ts";
import type { Clone } from "../source.ts";
import type { RecordedCall } from "./answers.ts";

/** What the benchmark's tool gives of each log. */
const LINES = 50;

/** The logs of a service, by the ending of their name in the file, and the line above each. */
const PARTS = [
  ["", (service: string) => `From ${service} logs:`],
  [".previous", () => "From previous container logs:"],
  [".istio-proxy", () => "From istio-proxy logs:"],
] as const;

/** The calls of GetRecentLogs, which the recording has as a file of its own; undefined without the file. */
export async function readLogs(
  clone: Clone,
  file: string,
  namespace: string,
): Promise<RecordedCall[] | undefined> {
  if (!existsSync(file)) return undefined;
  const logs: unknown = JSON.parse(await clone.read(file));
  if (!isJsonObject(logs)) throw new Error("raw_data/logs.json must be an object");
  const services = new Set(Object.keys(logs).map((name) => name.replace(/\.(?:previous|istio-proxy)$/u, "")));
  return Array.from(services, (service) => {
    const parts = PARTS.flatMap(([ending, heading]) => {
      const lines = linesOf(logs[`${service}${ending}`]).slice(-LINES);
      return lines.length === 0 ? [] : [[heading(service), ...lines].join("\n")];
    });
    return { tool: "GetRecentLogs", args: { namespace, service_name: service }, value: parts.join("\n\n") };
  });
}

function linesOf(log: unknown): string[] {
  const lines: readonly unknown[] = Array.isArray(log)
    ? log
    : typeof log === "string"
      ? log.split(/\r?\n/u)
      : [];
  return lines.map(String).filter((line) => line.trim() !== "");
}
