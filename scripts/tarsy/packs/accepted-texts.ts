import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { structuredPatch } from "diff";
import { parse, stringify } from "yaml";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { isJsonObject } from "#shared/json-object.ts";
import { replaceFile } from "./accepted-tools.ts";
import type { InspectedTool } from "./inspect-server.ts";

/** Beside the file with the hashes. Only this command reads it: a text without an accepted hash is not used. */
const ACCEPTED_TEXTS = "accepted-texts.yaml";
const HEAD = `# What the tools of servers with a pack said when they were accepted, masked. Written by \`tarsy add\`, which shows by it what a later
# change of a tool changes.
`;
const CONTEXT_LINES = 2;
/** A hostile text may take long to compare. */
const DIFF_MS = 2_000;

const parseTexts = compileParser(
  "accepted texts",
  Type.Object({
    servers: Type.Record(
      Type.String(),
      Type.Record(Type.String(), Type.Object({ hash: Type.String(), text: Type.String() })),
    ),
  }),
);
type Texts = ReturnType<typeof parseTexts>["servers"];
/** The text of each tool of a server, with its hash, by name. */
export type ServerTexts = Texts[string];

/** The texts of a server that were kept; empty if there is no file that can be read. */
export function readTexts(configDir: string, server: string): ServerTexts {
  return new Map(Object.entries(readAll(configDir))).get(server) ?? {};
}

/** Keeps the texts of a server's tools in the place of those before; undefined forgets them. */
export function writeTexts(
  configDir: string,
  server: string,
  tools: readonly InspectedTool[] | undefined,
): void {
  const servers = new Map(Object.entries(readAll(configDir)));
  const isKnown = servers.delete(server);
  if (tools === undefined && !isKnown) return;
  const texts = tools?.map((tool) => [tool.name, { hash: tool.hash, text: textOf(tool) }] as const);
  if (texts !== undefined) servers.set(server, Object.fromEntries(texts));
  const file = stringify({ servers: Object.fromEntries(servers) }, { lineWidth: 0, sortMapEntries: true });
  replaceFile(join(configDir, ACCEPTED_TEXTS), HEAD + file);
}

/** The lines of a unified difference between the accepted text of a tool and its text now; undefined if none can be made. */
export function differenceLines(tool: InspectedTool, known: ServerTexts): string[] | undefined {
  const before = Object.hasOwn(known, tool.name) ? known[tool.name] : undefined;
  if (before === undefined || !tool.accepted.includes(before.hash)) return undefined;
  const { text } = before;
  const options = { context: CONTEXT_LINES, timeout: DIFF_MS };
  const patch = structuredPatch("", "", `${text}\n`, `${textOf(tool)}\n`, "", "", options);
  if (patch === undefined) return undefined;
  if (patch.hunks.length === 0) {
    return ["it differs only in spaces, in hidden characters, which agents do not get, or in masked text"];
  }
  return [
    "--- accepted",
    "+++ now",
    ...patch.hunks.flatMap(({ lines }, at) => [...(at === 0 ? [] : ["…"]), ...lines]),
  ];
}

/** A definition in lines that can be compared: a sentence each, and a keyword of the schema each, in their order by name. */
function textOf({ description, schema }: InspectedTool): string {
  const sentences = description.replaceAll(/(?<=[.!?;]) +/gu, "\n").trim();
  return `${sentences}\n${JSON.stringify(sorted(JSON.parse(schema)), undefined, 2)}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, inner]) => [name, sorted(inner)]));
}

function readAll(configDir: string): Texts {
  const path = join(configDir, ACCEPTED_TEXTS);
  if (!existsSync(path)) return {};
  try {
    return parseTexts(parse(readFileSync(path, "utf8"))).servers;
  } catch {
    // It is only shown: without it, a changed tool is shown whole.
    return {};
  }
}
